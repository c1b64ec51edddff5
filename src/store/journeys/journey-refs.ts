import type { JourneyRef } from './enrolments.ts'

/** Which journeys of all brands are looked for; the clock is that of the database unless a moment is given. */
export type DueWork = {
  readonly now: number | null
  readonly limit: number
  /** Those that are left alone for now. */
  readonly except?: readonly JourneyRef[]
}

/** Journeys as the two columns of an `unnest`. */
export function refColumns(refs: readonly JourneyRef[]): readonly [readonly number[], readonly bigint[]] {
  return [refs.map(({ brandId }) => brandId), refs.map(({ journeyId }) => journeyId)]
}
