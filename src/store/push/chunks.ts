import type { Platform } from '../../rules/platforms.ts'
import type { Db } from '../db.ts'
import type { ChannelRef } from './channels.ts'
import { UNHELD } from './sending-hold.ts'

/** Names a chunk and one claim of it. With a claim that was lost, no statement changes the chunk. */
export type ChunkRef = { readonly brandId: number; readonly id: bigint; readonly claims: number }

/** A chunk that one worker has claimed, for the length of its lease. */
export type ClaimedChunk = ChunkRef & {
  readonly platform: Platform
  readonly notificationId: string
  readonly attempt: number
  readonly remaining: number
  readonly isBulk: boolean
  readonly expiresAt: number
  /** How long it was ready before this claim. */
  readonly waitedMs: number
}

export type ChunkClaim = {
  readonly workerId: string
  readonly count: number
  readonly leaseMs: number
  /** `small` takes only chunks of small audiences, `bulk` only the others. */
  readonly sizes: 'any' | 'small' | 'bulk'
  /** The time by which leases have run out, of a clock that does not jump; that of the database, if absent. */
  readonly leaseNow?: number
  /** The most chunks of one channel that the worker takes; as many as it wants, if absent. */
  readonly perChannel?: number
  /** The channels of which the worker takes fewer, because it has chunks of them in work. */
  readonly rooms?: readonly ChannelRoom[]
  /** For tests. Otherwise the database's clock decides, since it is the only one all workers share. */
  readonly now?: number
}

/** How many more chunks of a channel a worker takes. */
export type ChannelRoom = ChannelRef & { readonly room: number }

/**
 * Leases chunks that are ready, in one statement. Small chunks go first; then channels take turns: the channel with the
 * fewest chunks in work is next, and chance decides between equals, so that nobody waits behind a large broadcast.
 */
export async function claimChunks(db: Db, claim: ChunkClaim): Promise<readonly ClaimedChunk[]> {
  const { workerId, count, leaseMs, sizes, now, leaseNow, perChannel = count, rooms = [] } = claim
  const { rows } = await db.query<ClaimedChunk>(CLAIM, [
    workerId,
    count,
    leaseMs,
    sizes !== 'bulk',
    sizes !== 'small',
    momentOf(now),
    momentOf(leaseNow),
    perChannel,
    rooms.map(({ brandId }) => brandId),
    rooms.map(({ platform }) => platform),
    rooms.map(({ room }) => room),
  ])
  return rows
}

export type ChunkRenewal = { readonly leaseMs: number; readonly now?: number }

/** Makes leases run from now again, and gives the ids of the chunks that the worker still has. One given back is nobody's. */
export async function renewChunks(
  db: Db,
  chunks: readonly ChunkRef[],
  { leaseMs, now }: ChunkRenewal,
): Promise<readonly bigint[]> {
  const { rows } = await db.query<{ id: bigint }>(
    `update chunks set leased_until = coalesce($4::timestamptz, clock_timestamp()) + $5 * interval '1 millisecond'
     from ${CLAIMED} where ${IS_CLAIMED} and leased_by is not null returning chunks.id`,
    [...refValues(chunks), momentOf(now), leaseMs],
  )
  return rows.map(({ id }) => id)
}

/** Gives chunks back unfinished, so that another worker can have them now. */
export async function releaseChunks(db: Db, chunks: readonly ChunkRef[]): Promise<void> {
  await db.query(
    `update chunks set ready_at = clock_timestamp(), ${UNLEASED} from ${CLAIMED} where ${IS_CLAIMED}`,
    refValues(chunks),
  )
}

/**
 * Claims a chunk anew for the worker that has it; null if the claim was lost. A worker does this when it does not know
 * whether its last settlement was written: the chunk, opened under the new claim, has the recipients without an outcome.
 */
export async function reclaimChunk(
  db: Db,
  { brandId, id, claims }: ChunkRef,
  { leaseMs }: { readonly leaseMs: number },
): Promise<ChunkRef | null> {
  const { rows } = await db.query<{ claims: number }>(
    `update chunks set claims = claims + 1, leased_until = clock_timestamp() + $4 * interval '1 millisecond'
     where brand_id = $1 and id = $2 and claims = $3 and leased_by is not null returning claims`,
    [brandId, id, claims, leaseMs],
  )
  const [row] = rows
  return row === undefined ? null : { brandId, id, claims: row.claims }
}

export function momentOf(now: number | undefined): Date | null {
  return now === undefined ? null : new Date(now)
}

/** The instant of the `moment` table, as a scalar: a join with the table would read all rows that are not due yet. */
export const NOW = '(select now from moment)'

/** The columns of a chunk that no worker has. */
export const UNLEASED = 'leased_by = null, leased_until = null'

const CLAIMED = 'unnest($1::integer[], $2::bigint[], $3::integer[]) as claimed (brand_id, id, claims)'
const IS_CLAIMED =
  'chunks.brand_id = claimed.brand_id and chunks.id = claimed.id and chunks.claims = claimed.claims'

/** The refs as the first three values of a statement. */
export function refValues(chunks: readonly ChunkRef[]): readonly unknown[] {
  return [
    chunks.map(({ brandId }) => brandId),
    chunks.map(({ id }) => id),
    chunks.map(({ claims }) => claims),
  ]
}

/**
 * Locks the chunks of `refValues` that are still claimed, in the order in which every statement locks them. `place` is
 * that of the ref, counted from 1.
 */
export const LOCK_CLAIMED = `select c.brand_id, c.id, asked.place from (
    select * from unnest($1::integer[], $2::bigint[], $3::integer[]) with ordinality as asked (brand_id, id, claims, place)
    order by brand_id, id
  ) as asked cross join lateral (
    select brand_id, id from chunks where brand_id = asked.brand_id and id = asked.id and claims = asked.claims for update
  ) as c`

const CLAIM = {
  name: 'claim_chunks',
  text: `select brand_id as "brandId", platform, id, claims, notification_id as "notificationId", attempt, remaining,
      is_bulk as "isBulk", expires_at as "expiresAt",
      greatest(0, extract(epoch from leased_until - ready_at) * 1000 - $3)::float8 as "waitedMs"
    from claim_chunks($1, $2, $3 * interval '1 millisecond', $4, $5, $6, $7, $8, $9, $10, $11) where ${UNHELD}`,
}
