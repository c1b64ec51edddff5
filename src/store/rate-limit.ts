import type { Database, Db } from './db.ts'
import type { PurgeBounds } from './purge-aged.ts'

export type HitRequest = {
  readonly brandId: number
  /** The limited thing, for example the name of an endpoint. */
  readonly bucket: string
  /** How many hits are wanted; requests that arrive together may share one call. */
  readonly wanted: number
  readonly limit: number
  readonly windowMs: number
  /** For tests. Otherwise the database's clock decides, since it is the only one all processes share. */
  readonly now?: number
}

/** `freesInMs`: when the oldest hit leaves the window, so that one more is possible. */
export type HitsTaken = { readonly granted: number; readonly remaining: number; readonly freesInMs: number }

/**
 * Takes hits in a sliding window that is exact over all processes: never more than `limit` in any window, and never
 * fewer than possible. A hit that is not granted leaves no trace. This takes the whole `Database`, because it must not
 * share a transaction with work that has to reach the disk.
 */
export async function takeHits(database: Database, request: HitRequest): Promise<HitsTaken> {
  const { brandId, bucket, wanted, limit, windowMs, now } = request
  const { rows } = await database.query<HitsTaken>(TAKE, [
    brandId,
    bucket,
    wanted,
    limit,
    windowMs,
    now === undefined ? null : new Date(now),
  ])
  const [taken] = rows
  if (taken === undefined) throw new Error('take_hits gave no row')
  return taken
}

export type BudgetRequest = {
  readonly brandId: number
  readonly windowMs: number
  /** Hits of one slot are counted together; the window is exact to one slot. */
  readonly slotMs: number
  /** In the same order everywhere, so that no two requests wait for each other. */
  readonly buckets: readonly Pick<HitRequest, 'bucket' | 'wanted' | 'limit'>[]
}

/** Takes many hits in several buckets with one trip. A bucket that has too few grants those. */
export async function takeBudgets(database: Database, request: BudgetRequest): Promise<readonly HitsTaken[]> {
  const { brandId, windowMs, slotMs, buckets } = request
  const { rows } = await database.query<HitsTaken>(TAKE_MANY, [
    brandId,
    windowMs,
    slotMs,
    buckets.map(({ bucket }) => bucket),
    buckets.map(({ wanted }) => wanted),
    buckets.map(({ limit }) => limit),
  ])
  return rows
}

/**
 * Deletes buckets whose hits have all left the window. The bucket is locked first, as in `take_hits`. The earlier of
 * two clocks decides, so that a worker whose clock is ahead of the database's deletes no live bucket.
 */
export async function purgeBuckets(db: Db, { now, rowsMax }: PurgeBounds): Promise<number> {
  const { count } = await db.query(
    `with idle as (
       select brand_id, bucket from rate_buckets where expires_at <= least($1, clock_timestamp())
       limit $2 for update skip locked
     ), hits as (
       delete from rate_hits using idle
       where rate_hits.brand_id = idle.brand_id and rate_hits.bucket = idle.bucket
     )
     delete from rate_buckets using idle
     where rate_buckets.brand_id = idle.brand_id and rate_buckets.bucket = idle.bucket`,
    [new Date(now), rowsMax],
  )
  return count
}

const TAKE = {
  name: 'take_hits',
  text: `select granted, remaining, frees_in_ms as "freesInMs"
    from take_hits($1, $2, $3, $4, $5 * interval '1 millisecond', $6)`,
}

const TAKE_MANY = {
  name: 'take_budgets',
  text: `select granted, remaining, frees_in_ms as "freesInMs"
    from unnest($4::text[], $5::integer[], $6::integer[]) with ordinality as given (bucket, wanted, hits_max, place)
    cross join lateral take_hits($1, bucket, wanted, hits_max, $2 * interval '1 millisecond',
      date_bin($3 * interval '1 millisecond', clock_timestamp(), 'epoch')) as taken
    order by place`,
}
