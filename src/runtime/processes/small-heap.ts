import { setFlagsFromString } from 'node:v8'
import { collectGarbage } from './collect-garbage.ts'

/**
 * Keeps the heap of this process small. V8 lets a heap grow to about 250 MB before its first full collection, and later
 * to a multiple of the live objects; a worker that sends has about 50 MB of live objects. A collection now ends the
 * first allowance, and the percentage bounds the later ones. Under full load it costs one collection of 50 ms every few
 * seconds.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
  collectGarbage()
}

const GROWTH_PERCENT = 60
