import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Lets V8 collect its garbage now. It does so by itself when its heap has grown enough, but a body of 60 MB lies half
 * outside of the heap, and three of them one after the other pile up before it looks. It takes some 50 ms, so it is
 * for after something very large only.
 */
export function collectGarbage(): void {
  collect()
}

const collect = openCollector()

function openCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  return typeof gc === 'function' ? () => void gc() : () => undefined
}
