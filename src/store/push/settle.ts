import type { DeliveryState } from '../../rules/push.ts'
import type { Db } from '../db.ts'
import type { ChunkRef } from './chunks.ts'
import { DELIVERY_FACT, deliveryEndedSql } from './delivery-ends.ts'
import { tallySql } from './tally-sql.ts'

/** The outcome of one recipient of a chunk. */
export type RecipientOutcome = {
  readonly recipientId: bigint
  readonly state: DeliveryState
  readonly reason: string | null
  /** When a `retrying` delivery is ready again; null in every other state. Retries of one instant become one chunk. */
  readonly retryAt: number | null
  /** How many attempts had an outcome that nobody knows, for a `retrying` delivery. */
  readonly unknowns: number
}

/** The outcomes that one statement writes. */
export type Settlement = {
  readonly outcomes: readonly RecipientOutcome[]
  /** How many of their texts had to be cut to be shown. */
  readonly textsCut: number
}

/**
 * The state of the claim, as a settlement finds it. `claimed`: the chunk is still ours. `cancelled`: nothing more of it may be handed
 * over; end the chunk. `lost`: another worker has it, and nothing was written.
 */
export type ClaimState = 'claimed' | 'cancelled' | 'lost'

/**
 * Writes the outcomes of some recipients of a claimed chunk, moves its progress and the counts, and makes a new chunk
 * of the recipients to try again: all or nothing, in one statement. The chunk is deleted when nothing of it remains.
 */
export async function settleChunk(
  db: Db,
  chunk: ChunkRef,
  { outcomes, textsCut }: Settlement,
): Promise<ClaimState> {
  const { rows } = await db.query<{ isCancelled: boolean }>(SETTLE, [
    chunk.brandId,
    chunk.id,
    chunk.claims,
    outcomes.map(({ recipientId }) => recipientId),
    outcomes.map(({ state }) => state),
    outcomes.map(({ reason }) => reason),
    outcomes.map(({ retryAt }) => (retryAt === null ? null : new Date(retryAt))),
    textsCut,
    outcomes.map(({ unknowns }) => unknowns),
  ])
  const [row] = rows
  if (row === undefined) return 'lost'
  return row.isCancelled ? 'cancelled' : 'claimed'
}

/**
 * `written` lacks an outcome only where the recipient already has a final one, which a change of zone can cause. It
 * was counted elsewhere, so the audience was one too large.
 */
const SETTLE = {
  name: 'settle_chunk',
  text: `with claimed as materialized (
    select brand_id, id, platform, notification_id, attempt, remaining, is_bulk, expires_at from chunks
    where brand_id = $1 and id = $2 and claims = $3 for update
  ), outcome as (
    select listed.*, claimed.brand_id, claimed.notification_id, claimed.attempt
    from claimed cross join unnest($4::bigint[], $5::text[], $6::text[], $7::timestamptz[], $9::integer[])
      as listed (recipient, state, reason, retry_at, unknowns)
  ), written as (
    insert into deliveries as d (brand_id, notification_id, subscription_id, state, reason, attempt, at)
    select brand_id, notification_id, recipient, state, reason, attempt, clock_timestamp() from outcome
    on conflict (brand_id, notification_id, subscription_id) do update
    set state = excluded.state, reason = excluded.reason, attempt = excluded.attempt,
      at = excluded.at
    where d.state = 'retrying'
    returning ${DELIVERY_FACT}
  ), enqueued as (
    ${deliveryEndedSql('written')}
  ), retried as (
    insert into chunks (brand_id, platform, notification_id, first_id, last_id, subscription_ids, attempt, unknowns,
      remaining, is_bulk, ready_at, expires_at)
    select claimed.brand_id, claimed.platform, claimed.notification_id, min(recipient), max(recipient), array_agg(recipient order by recipient),
      claimed.attempt + 1, outcome.unknowns, count(*), claimed.is_bulk, outcome.retry_at, claimed.expires_at
    from claimed join outcome on outcome.state = 'retrying'
    join written on written.subscription_id = outcome.recipient
    group by claimed.brand_id, claimed.platform, claimed.notification_id, claimed.attempt, claimed.is_bulk,
      claimed.expires_at, outcome.retry_at, outcome.unknowns
  ), came as (
    select state as came_to from written
  ), progress as (
    select count(*)::integer as outcomes from outcome
  ), shrunk as (
    update chunks set remaining = chunks.remaining - progress.outcomes from claimed, progress
    where chunks.brand_id = claimed.brand_id and chunks.id = claimed.id and claimed.remaining > progress.outcomes
  ), ended as (
    delete from chunks using claimed, progress
    where chunks.brand_id = claimed.brand_id and chunks.id = claimed.id and claimed.remaining <= progress.outcomes
  )
  ${tallySql(
    'claimed left join came on true cross join progress group by brand_id, notification_id, outcomes',
    {
      accepted: `count(*) filter (where came_to = 'accepted')`,
      failed: `count(*) filter (where came_to = 'failed')`,
      expired: `count(*) filter (where came_to = 'expired')`,
      cancelled: `count(*) filter (where came_to = 'cancelled')`,
      correction: 'count(came_to) - outcomes',
      texts_cut: '$8',
    },
  )}
  returning n.state = 'cancelled' as "isCancelled"`,
}
