import { setFlagsFromString } from 'node:v8'
import { collectGarbage } from './collect-garbage.ts'

/**
 * Keeps this process's heap near what it really holds. V8 lets a heap grow to some 250 MB before it looks for garbage
 * at all, and then to a multiple of what it found alive; a worker that sends holds about 50. Looking once now ends the
 * first allowance, the percentage bounds the later ones. It costs about one collection of 50 ms every few seconds of
 * full load.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
  collectGarbage()
}

const GROWTH_PERCENT = 60
