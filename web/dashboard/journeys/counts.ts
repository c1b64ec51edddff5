import type { ReplyOf } from '../kit/call.ts'

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
