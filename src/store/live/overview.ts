import { LIVE_LIMITS } from '../../rules/live.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import type { Db } from '../db.ts'

/** The age of the oldest message that could be sent and is not being sent; null when none waits. */
export async function loadQueueAge(tx: Db, brandId: number): Promise<number | null> {
  const { rows } = await tx.query<{ ageMs: number | null }>(
    `select extract(epoch from clock_timestamp() - min(waiting.at))::float8 * 1000 as "ageMs" from (
       (select plan_at as at from notifications where brand_id = $1 and plan_at <= clock_timestamp()
          and plan_at is not null and mode = 'send' and wall is null order by plan_at limit 1)
       union all
       (select plan_at from notifications where brand_id = $1 and plan_at <= clock_timestamp()
          and plan_at is not null and (mode <> 'send' or wall is not null) order by plan_at limit 1)
       union all
       select chunk.ready_at from unnest($2::text[]) as lane (platform) cross join (values (true), (false)) as size (is_bulk)
         cross join lateral (
           select c.ready_at from chunks as c
           where c.brand_id = $1 and c.platform = lane.platform and c.is_bulk = size.is_bulk
             and c.ready_at <= clock_timestamp() and c.leased_by is null
           order by c.ready_at limit 1
         ) as chunk
     ) as waiting`,
    [brandId, PLATFORM_NAMES],
  )
  return rows[0]?.ageMs ?? null
}

export type WaitingApproval = { readonly id: bigint; readonly name: string; readonly requestedAt: number }

/** The campaigns that wait for approval, the oldest requests first, and the number of all of them. */
export async function loadWaitingApprovals(
  tx: Db,
  brandId: number,
): Promise<{ readonly count: number; readonly first: readonly WaitingApproval[] }> {
  const { rows } = await tx.query<WaitingApproval & { readonly count: number }>(
    `select id, name, coalesce(requested_at, updated_at) as "requestedAt", count(*) over ()::integer as count
     from campaigns where brand_id = $1 and state = 'awaiting_approval' and archived_at is null
     order by requested_at, id limit $2`,
    [brandId, LIVE_LIMITS.approvalsMax],
  )
  return {
    count: rows[0]?.count ?? 0,
    first: rows.map(({ id, name, requestedAt }) => ({ id, name, requestedAt })),
  }
}

/** The entries that were refused since, up to a bound, and the newest of them. */
export async function countRefused(
  tx: Db,
  { brandId, since }: { readonly brandId: number; readonly since: number },
): Promise<{ readonly count: number; readonly lastAt: number | null }> {
  const { rows } = await tx.query<{ count: number; lastAt: number | null }>(
    `select count(*)::integer as count, max(rejected_at) as "lastAt" from (
       select rejected_at from rejected_entries where brand_id = $1 and rejected_at > $2
       order by rejected_at desc limit $3
     ) as refused`,
    [brandId, new Date(since), LIVE_LIMITS.refusedMax],
  )
  return rows[0] ?? { count: 0, lastAt: null }
}

/** The attributes that got values of another type than the locked one. */
export async function countTypeConflicts(tx: Db, brandId: number): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    'select count(*)::integer as count from attribute_locks where brand_id = $1 and mistyped_count > 0',
    [brandId],
  )
  return rows[0]?.count ?? 0
}
