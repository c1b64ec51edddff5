import type { ReplyOf } from '../kit/call.ts'
import { useLive } from '../kit/live.ts'
import { useRead } from '../kit/queries.ts'

type Counts = ReplyOf<'GET /api/v1/journeys/{journey_id}/counts'>['counts']

/** The numbers of a journey. Goals are counted at the step at which they came. */
export function totalsOf(counts: Counts): {
  readonly inside: number
  readonly entered: number
  readonly goal: number
} {
  const all = [counts, ...counts.steps]
  return { inside: counts.inside, entered: sum(all, 'entered'), goal: sum(all, 'goal') }
}

function sum(rows: readonly object[], code: string): number {
  return rows.reduce((total, row) => total + Number(new Map(Object.entries(row)).get(code) ?? 0), 0)
}

/** The numbers of a journey as the live stream tells them; undefined until the first are there, and without an id. */
export function useCounts(journeyId: string): Counts | undefined {
  const isSaved = journeyId !== ''
  const path = { journey_id: journeyId }
  const read = useRead('GET /api/v1/journeys/{journey_id}/counts', { path }, { isEnabled: isSaved })
  return useLiveCounts(journeyId) ?? read.data?.counts
}

/** The numbers of a journey as the live stream tells them; undefined until it does. */
export function useLiveCounts(journeyId: string): Counts | undefined {
  const told = useLive(journeyId === '' ? null : `journey:${journeyId}`)?.data['counts']
  return isCounts(told) ? told : undefined
}

function isCounts(value: unknown): value is Counts {
  return typeof value === 'object' && value !== null && 'steps' in value && 'inside' in value
}
