import { run, setHome } from './commands.ts'
import { runEarly } from './early.ts'

/** What a page called before this script was there: its words, and whom to tell how it went. */
type Early = readonly [
  words: ArrayLike<unknown>,
  resolve: (value: unknown) => void,
  reject: (reason: unknown) => void,
]

const early: unknown = Reflect.get(globalThis, 'beckon')
const { currentScript } = document
if (currentScript instanceof HTMLScriptElement) setHome(currentScript.src)

Object.assign(globalThis, { beckon: run })
// The name that users of the contract's own SDK know. Another script's `nv` stays what it is.
const alias: unknown = Reflect.get(globalThis, 'nv')
if (alias === undefined || alias === early) Object.assign(globalThis, { nv: run })

// A browser that refuses its stores refuses them here as well; the page's own calls are answered all the same.
runEarly().catch(() => undefined)
for (const [words, resolve, reject] of queueOf(early)) run(...Array.from(words)).then(resolve, reject)

function queueOf(stub: unknown): readonly Early[] {
  const queue: unknown = typeof stub === 'function' ? Reflect.get(stub, 'q') : undefined
  return Array.isArray(queue) ? queue : []
}
