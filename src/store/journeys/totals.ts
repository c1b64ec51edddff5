import { JOURNEY_NOTES } from '../../rules/journey-steps.ts'
import { JOURNEY_RECENT_DAYS } from '../../rules/journeys.ts'
import { SERIES_MINUTES } from '../../rules/series.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { seriesRowsSql } from '../series/reads.ts'

/** The numbers of a journey as a list shows them, over all its versions. */
export type JourneyTotals = {
  readonly id: bigint
  readonly entered: bigint
  /** People who are inside now. */
  readonly inside: number
  readonly goal: bigint
  readonly completed: bigint
  readonly exited: bigint
  /** Times that a step handed a message to the push lane. */
  readonly sent: bigint
  /** Of the last days. */
  readonly accepted: bigint
  readonly failed: bigint
  readonly clicked: bigint
}

type TotalsQuery = { readonly brandId: number; readonly ids: readonly bigint[]; readonly now: number }

/**
 * The numbers of journeys by their ids, in one statement. An erasure takes a person out of the journey and leaves the
 * counts, so the people inside are counted from their rows. Messages are read from the series, which have no sums of all
 * time.
 */
export async function loadJourneyTotals(
  tx: Db,
  { brandId, ids, now }: TotalsQuery,
): Promise<ReadonlyMap<bigint, JourneyTotals>> {
  if (ids.length === 0) return new Map()
  const binds = new Binds()
  const brand = binds.add(brandId)
  const wanted = `any(${binds.add(ids)}::bigint[])`
  const fromAt = Math.floor(now / HOUR_MS) * HOUR_MS - JOURNEY_RECENT_DAYS * 24 * HOUR_MS
  const messages = seriesRowsSql(
    {
      brandId,
      metrics: MESSAGES,
      runs: [{ minutes: SERIES_MINUTES.hour, fromAt, toAt: null }],
      columns: 'journey_id',
      where: `journey_id = ${wanted}`,
    },
    binds,
  )
  const noted = (name: string, codes: readonly string[]): string =>
    `coalesce(sum(count) filter (where did = any(${binds.add(codes)}::text[])), 0)::bigint as ${name}`
  const { rows } = await tx.query<JourneyTotals>(
    `with noted as (
       select journey_id as id, ${NOTED.map(([name, codes]) => noted(name, codes)).join(', ')}
       from journey_counts where brand_id = ${brand} and journey_id = ${wanted} group by 1
     ), enrolled as (
       select journey_id as id, count(*)::integer as inside from enrolments
       where brand_id = ${brand} and journey_id = ${wanted} and state = 'active' group by 1
     ), told as (
       select journey_id as id, ${MESSAGES.map(messageSql).join(', ')} from (${messages}) as kept group by 1
     )
     select id, ${[...NOTED.map(([name]) => name), 'inside', ...MESSAGES].map((name) => `coalesce(${name}, 0) as ${name}`).join(', ')}
     from unnest(${binds.add(ids)}::bigint[]) as wanted (id)
     left join noted using (id) left join enrolled using (id) left join told using (id)`,
    binds.values,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

const HOUR_MS = 3_600_000

const MESSAGES = ['accepted', 'failed', 'clicked'] as const

function messageSql(metric: (typeof MESSAGES)[number]): string {
  return `coalesce(sum(count) filter (where metric = '${metric}'), 0)::bigint as ${metric}`
}

/** The notes that make up each number. */
const NOTED: readonly (readonly [string, readonly string[]])[] = [
  ['entered', ['entered']],
  ['sent', ['sent']],
  ...(['goal', 'completed', 'exited'] as const).map((end) => [end, notesOf(end)] as const),
]

function notesOf(end: 'goal' | 'completed' | 'exited'): readonly string[] {
  return Object.entries(JOURNEY_NOTES).flatMap(([code, { ends }]) => (ends === end ? [code] : []))
}
