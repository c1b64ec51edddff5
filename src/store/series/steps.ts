import type { StoredRun } from '../../domain/series/spans.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { seriesRowsSql } from './reads.ts'

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
  readonly runs: readonly StoredRun[]
}

/** Everything that series have of one journey, by span and step. */
export async function loadStepSpans(tx: Db, query: StepSpans): Promise<readonly StepSpanCount[]> {
  const binds = new Binds()
  const edges = binds.add(query.edges.map((edge) => new Date(edge)))
  const where = `journey_id = ${binds.add(query.journeyId)}`
  const rows = seriesRowsSql({ ...query, metrics: METRICS, columns: 'step, name', where }, binds)
  const { rows: found } = await tx.query<StepSpanCount>(
    `select width_bucket(starts_at, ${edges}::timestamptz[])::integer - 1 as place, step,
       case when metric like 'journey_%' then name else metric end as what, sum(count)::bigint as count
     from (${rows}) as kept group by 1, 2, 3`,
    binds.values,
  )
  return found
}

const METRICS = [
  'journey_entries',
  'journey_exits',
  'journey_steps',
  'accepted',
  'failed',
  'received',
  'clicked',
  'dismissed',
]
