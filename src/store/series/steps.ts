import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'

/** The counts of a journey's step in a span. The step '' is the journey as a whole. */
export type StepSpanCount = {
  readonly place: number
  readonly step: string
  /** The code of a note, or a metric of the step's messages. */
  readonly what: string
  readonly count: bigint
}

type StepSpans = {
  readonly brandId: number
  readonly journeyId: bigint
  readonly edges: readonly number[]
  readonly minutes: number
}

/** Everything that series have of one journey, by span and step. */
export async function loadStepSpans(tx: Db, query: StepSpans): Promise<readonly StepSpanCount[]> {
  const binds = new Binds()
  const edges = binds.add(query.edges.map((edge) => new Date(edge)))
  const brand = binds.add(query.brandId)
  const journey = binds.add(query.journeyId)
  const from = binds.add(new Date(query.edges[0] ?? 0))
  const to = binds.add(new Date(query.edges.at(-1) ?? 0))
  const { rows } = await tx.query<StepSpanCount>(
    `select width_bucket(starts_at, ${edges}::timestamptz[])::integer - 1 as place, step,
       case when metric like 'journey_%' then name else metric end as what, sum(count)::bigint as count
     from (
       select metric, starts_at, journey_id, step, name, count from series
       where brand_id = ${brand} and metric = any(${METRICS}) and minutes = ${binds.add(query.minutes)}::smallint
         and starts_at >= ${from} and starts_at < ${to}
       union all
       select metric, at, journey_id, step, name, count from series_changes
       where brand_id = ${brand} and metric = any(${METRICS}) and at >= ${from} and at < ${to}
     ) as kept
     where journey_id = ${journey} group by 1, 2, 3`,
    binds.values,
  )
  return rows
}

const METRICS = `array['journey_entries', 'journey_exits', 'journey_steps', 'accepted', 'failed', 'received', 'clicked',
  'dismissed']`
