import { SEGMENT_ESTIMATE } from '../../rules/segments.ts'

const { shares, foundMin, patienceMs } = SEGMENT_ESTIMATE

/** How many of one share of the people a filter found, and how long that took. */
type ShareCount = { readonly found: number; readonly tookMs: number }

/** Whether one share may speak for all: it tells nearly the size, and to ask the others would take long. */
export function isTelling({ found, tookMs }: ShareCount): boolean {
  return found >= foundMin && tookMs * (shares - 1) > patienceMs
}

/** The estimated size of the whole segment, from the count of one share. */
export function estimateSize(found: number): number {
  return found * shares
}

/** The 95 % margin of the estimate. Each member is in the counted share with probability 1/`shares`: a binomial count. */
export function marginOf(found: number): number {
  return Math.ceil(1.96 * shares * Math.sqrt(found * (1 - 1 / shares)))
}
