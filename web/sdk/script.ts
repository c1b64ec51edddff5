import { run, setHome } from './commands.ts'

/** What a page called before this script was there: its words, and whom to tell how it went. */
type Early = readonly [
  args: ArrayLike<unknown>,
  resolve: (value: unknown) => void,
  reject: (reason: unknown) => void,
]

const early: unknown = Reflect.get(globalThis, 'beckon')
const { currentScript } = document
if (currentScript instanceof HTMLScriptElement) setHome(currentScript.src)

const beckon = async (...args: readonly unknown[]): Promise<unknown> => run(args[0], args.slice(1))
Object.assign(globalThis, { beckon })
// The name that users of the contract's own SDK know. Another script's `nv` stays what it is.
const alias: unknown = Reflect.get(globalThis, 'nv')
if (alias === undefined || alias === early) Object.assign(globalThis, { nv: beckon })

for (const [args, resolve, reject] of queueOf(early)) {
  run(args[0], Array.from(args).slice(1)).then(resolve, reject)
}

function queueOf(stub: unknown): readonly Early[] {
  const queue: unknown = typeof stub === 'function' ? Reflect.get(stub, 'q') : undefined
  return Array.isArray(queue) ? queue : []
}
