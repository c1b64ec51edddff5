import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Makes V8 collect garbage now. V8 does so by itself when its heap has grown enough, but half of a 60 MB body lies
 * outside of the heap, and three such bodies pile up before V8 looks. A collection takes about 50 ms, so it is only for
 * after very large bodies.
 */
export function collectGarbage(): void {
  collect({ type: 'major' })
}

/**
 * Collects only what was made since the last collection, within a few milliseconds, however much is in use. For work that
 * makes mebibytes of garbage in few and large pieces: V8 waits until there are many.
 */
export function collectYoung(): void {
  collect({ type: 'minor' })
}

const collect = openCollector()

function openCollector(): (options: { readonly type: 'major' | 'minor' }) => void {
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  return typeof gc === 'function' ? (options) => void gc(options) : () => undefined
}
