import type { Db, Statement } from './db.ts'

/** Names a chunk as one claim of it; whoever lost the claim can do nothing with it any more. */
export type ChunkRef = { readonly brandId: number; readonly id: bigint; readonly claims: number }

/** A chunk that one worker holds for the length of its lease. */
export type ClaimedChunk = ChunkRef & {
  readonly notificationId: string
  readonly attempt: number
  readonly remaining: number
  readonly isBulk: boolean
  readonly expiresAt: number
}

export type ChunkClaim = {
  readonly workerId: string
  readonly count: number
  readonly leaseMs: number
  /** `small` leaves the chunks of large audiences alone, for the part of a worker that must stay free for the rest. */
  readonly sizes: 'any' | 'small'
  /** For tests. Otherwise the database's clock decides, since it is the only one all workers share. */
  readonly now?: number
}

/**
 * Leases chunks that are ready, in one statement. Small work goes first; then brands take turns: the one with the
 * fewest chunks in work is next, and chance decides between equals, so that nobody waits behind a large broadcast.
 */
export async function claimChunks(db: Db, claim: ChunkClaim): Promise<readonly ClaimedChunk[]> {
  const { workerId, leaseMs, now } = claim
  const { rows } = await db.query<ClaimedChunk>(claimSql(claim), [workerId, leaseMs, momentOf(now)])
  return rows
}

export type ChunkRenewal = { readonly leaseMs: number; readonly now?: number }

/** Makes leases run from now again, and gives the ids of the chunks that are still ours. */
export async function renewChunks(
  db: Db,
  chunks: readonly ChunkRef[],
  { leaseMs, now }: ChunkRenewal,
): Promise<readonly bigint[]> {
  const { rows } = await db.query<{ id: bigint }>(
    `update chunks set ready_at = coalesce($4::timestamptz, clock_timestamp()) + $5 * interval '1 millisecond'
     from ${HELD} where ${IS_HELD} returning chunks.id`,
    [...refValues(chunks), momentOf(now), leaseMs],
  )
  return rows.map(({ id }) => id)
}

/** Gives chunks back unfinished, so that another worker can have them now. */
export async function releaseChunks(db: Db, chunks: readonly ChunkRef[]): Promise<void> {
  await db.query(
    `update chunks set ready_at = clock_timestamp(), leased_by = null from ${HELD} where ${IS_HELD}`,
    refValues(chunks),
  )
}

export function momentOf(now: number | undefined): Date | null {
  return now === undefined ? null : new Date(now)
}

/** The instant in a `moment` table, as a value: a join with it would walk over all that is still to come. */
export const NOW = '(select now from moment)'

const HELD = 'unnest($1::integer[], $2::bigint[], $3::integer[]) as held (brand_id, id, claims)'
const IS_HELD = 'chunks.brand_id = held.brand_id and chunks.id = held.id and chunks.claims = held.claims'

function refValues(chunks: readonly ChunkRef[]): readonly unknown[] {
  return [
    chunks.map(({ brandId }) => brandId),
    chunks.map(({ id }) => id),
    chunks.map(({ claims }) => claims),
  ]
}

const READY = `select brand_id, id, is_bulk, ready_at from chunks
  where brand_id = turn.brand_id and ready_at <= moment.now and expires_at > moment.now`

const SPARE = 4

/**
 * `turn` steps from brand to brand through the index, so that a million waiting chunks of one brand are one step.
 * More are chosen than wanted, because another worker may be locking the first of them at this moment. How many are
 * wanted is part of the text: the server plans it once, and must know that they are few.
 */
function claimSql({ count, sizes }: ChunkClaim): Statement {
  const wanted = Math.trunc(count)
  const bulk =
    sizes === 'any' ? `union all (${READY} and is_bulk order by ready_at limit ${wanted * SPARE})` : ''
  const text = `with recursive turn (brand_id) as (
    (select brand_id from chunks order by brand_id limit 1)
    union all
    select (select brand_id from chunks where brand_id > turn.brand_id order by brand_id limit 1)
    from turn where turn.brand_id is not null
  ), moment (now) as materialized (
    select coalesce($3::timestamptz, clock_timestamp())
  ), ready as (
    select found.brand_id, found.id, found.is_bulk,
      busy.chunks + row_number() over (partition by found.brand_id, found.is_bulk order by found.ready_at) as place
    from turn cross join moment
    cross join lateral (
      select count(*) as chunks from chunks
      where brand_id = turn.brand_id and leased_by is not null and ready_at > moment.now
    ) as busy
    cross join lateral (
      (${READY} and not is_bulk order by ready_at limit ${wanted * SPARE}) ${bulk}
    ) as found
  ), chosen as (
    select brand_id, id, is_bulk, place, random() as chance from ready
    order by is_bulk, place, chance limit ${wanted * SPARE}
  ), taken as (
    select chunks.brand_id, chunks.id from chosen join chunks using (brand_id, id) cross join moment
    where chunks.ready_at <= moment.now
    order by chosen.is_bulk, chosen.place, chosen.chance limit ${wanted}
    for update of chunks skip locked
  )
  update chunks set claims = claims + 1, leased_by = $1,
    ready_at = moment.now + $2 * interval '1 millisecond'
  from taken, moment where chunks.brand_id = taken.brand_id and chunks.id = taken.id
  returning chunks.brand_id as "brandId", chunks.id, chunks.claims, chunks.notification_id as "notificationId",
    chunks.attempt, chunks.remaining, chunks.is_bulk as "isBulk", chunks.expires_at as "expiresAt"`
  return { name: `claim ${sizes} ${wanted}`, text }
}
