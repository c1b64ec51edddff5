import { run, setHome } from './commands.ts'
import { runEarly } from './early.ts'

/** A call of the page before this script loaded: its arguments and the functions of its promise. */
type Early = readonly [
  args: ArrayLike<unknown>,
  resolve: (value: unknown) => void,
  reject: (reason: unknown) => void,
]

const early: unknown = Reflect.get(globalThis, 'beckon')
const { currentScript } = document
if (currentScript instanceof HTMLScriptElement) setHome(currentScript.src)

Object.assign(globalThis, { beckon: run })
// `nv` is the name in the contract's own SDK. An `nv` of another script is not replaced.
const alias: unknown = Reflect.get(globalThis, 'nv')
if (alias === undefined || alias === early) Object.assign(globalThis, { nv: run })

// A browser may refuse access to its storages; the calls of this page must run nevertheless.
runEarly().catch(() => undefined)
for (const [args, resolve, reject] of queueOf(early)) run(...Array.from(args)).then(resolve, reject)

function queueOf(stub: unknown): readonly Early[] {
  const queue: unknown = typeof stub === 'function' ? Reflect.get(stub, 'q') : undefined
  return Array.isArray(queue) ? queue : []
}
