import type { Db } from '../db.ts'

export type FunnelQuery = {
  readonly brandId: number
  /** Event names, in the order people should do them. */
  readonly steps: readonly string[]
  readonly withinMs: number
  readonly fromAt: number
  readonly toAt: number
}

/**
 * How many people came how far: each person's first start in the range, and from there each step at its first chance
 * after the one before, all within the time given. One number for each step.
 */
export async function loadFunnel(tx: Db, query: FunnelQuery): Promise<readonly bigint[]> {
  const [first, ...others] = query.steps
  const steps = others.map((_, at) => {
    const place = at + 1
    return `step${place} as (
       select profile_id, started_at, reached.at from step${place - 1} as before
       cross join lateral (
         select min(event_at) as at from events
         where brand_id = $1 and profile_id = before.profile_id and event_name = ($2::text[])[${place + 1}]
           and event_at > before.at and event_at <= started_at + $3 * interval '1 millisecond'
       ) as reached
       where reached.at is not null
     )`
  })
  const counts = query.steps.map((_, at) => `(select count(*) from step${at})`).join(', ')
  const { rows } = await tx.query<{ counts: readonly bigint[] }>(
    `with step0 as (
       select profile_id, min(event_at) as started_at, min(event_at) as at from events
       where brand_id = $1 and event_name = $6 and event_at >= $4 and event_at < $5 group by profile_id
     )${steps.map((step) => `, ${step}`).join('')}
     select jsonb_build_array(${counts}) as counts, $2::text[] is null, $3::bigint`,
    [query.brandId, query.steps, query.withinMs, new Date(query.fromAt), new Date(query.toAt), first],
  )
  return (rows[0]?.counts ?? []).map(BigInt)
}
