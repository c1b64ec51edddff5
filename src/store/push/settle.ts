import type { DeliveryState } from '../../rules/push.ts'
import { STOPPED_BRANDS } from '../brand/brand-state.ts'
import type { Db } from '../db.ts'
import { deliverySeriesSql, NOTIFICATION_PARTS } from '../series/changes.ts'
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
  /** The language of the message; null when the notification is written in one language only. */
  readonly language: string | null
  /** The place of the variant that the recipient got; null when the notification has none. */
  readonly variant: number | null
}

/** Outcomes of recipients of one claimed chunk. */
export type Settlement = {
  readonly chunk: ChunkRef
  readonly outcomes: readonly RecipientOutcome[]
  /** How many of their texts had to be cut to be shown. */
  readonly textsCut: number
}

/**
 * The state of the claim, as a settlement finds it. `claimed`: the chunk is still ours. `cancelled`: nothing more of it may be handed
 * over; end the chunk. `stopped`: the same, because the brand is being deleted; give the chunk back. `lost`: another
 * worker has it, and nothing was written.
 */
export type ClaimState = 'claimed' | 'cancelled' | 'stopped' | 'lost'

/**
 * Writes outcomes of recipients of claimed chunks, moves the progress of the chunks and the counts, and makes new chunks
 * of the recipients to try again: all or nothing, in one statement. A chunk is deleted when nothing of it remains. Gives
 * the state of each claim, in the order of the settlements. Run it on a connection for queues.
 */
export async function settleChunks(
  tx: Db,
  settlements: readonly Settlement[],
): Promise<readonly ClaimState[]> {
  const outcomes = settlements.flatMap((settlement) => settlement.outcomes)
  const lasts = lastPlaces(settlements)
  const { rows } = await tx.query<{ place: number; state: ClaimState }>(SETTLE, [
    settlements.map(({ chunk }) => chunk.brandId),
    settlements.map(({ chunk }) => chunk.id),
    settlements.map(({ chunk }) => chunk.claims),
    settlements.map(({ textsCut }) => textsCut),
    settlements.map((settlement, index) => (lasts[index] ?? 0) - settlement.outcomes.length + 1),
    lasts,
    outcomes.map(({ recipientId }) => recipientId),
    outcomes.map(({ state }) => state),
    outcomes.map(({ reason }) => reason),
    outcomes.map(({ retryAt }) => (retryAt === null ? null : new Date(retryAt))),
    outcomes.map(({ unknowns }) => unknowns),
    outcomes.map(({ language }) => language),
    outcomes.map(({ variant }) => variant),
  ])
  const states = settlements.map((): ClaimState => 'lost')
  for (const { place, state } of rows) states[place - 1] = state
  return states
}

/** The place of each settlement's last outcome among those of all, counted from 1. */
function lastPlaces(settlements: readonly Settlement[]): readonly number[] {
  let sum = 0
  return settlements.map(({ outcomes }) => {
    sum += outcomes.length
    return sum
  })
}

/**
 * Chunks are locked in order, and after them notifications, so that two workers never wait for each other. A chunk has
 * its outcomes as a slice of the arrays: a join would compare every chunk with every outcome. The same holds for the
 * `in` of `retried`, which PostgreSQL hashes because of its `is true`.
 *
 * The outcomes are added up once, in `came_to`, for the counts and for the series. All outcomes have one time, so it has
 * few rows.
 *
 * `written` lacks an outcome only where the recipient already has a final one, which a change of zone can cause. It
 * was counted elsewhere, so the audience was one too large.
 */
const SETTLE = {
  name: 'settle_chunks',
  text: `with asked as (
    select * from unnest($1::integer[], $2::bigint[], $3::integer[], $4::integer[], $5::integer[], $6::integer[])
      with ordinality as asked (brand_id, id, claims, texts_cut, first, last, place)
    order by brand_id, id
  ), claimed as materialized (
    select c.*, asked.place, asked.texts_cut, asked.first, asked.last, asked.last - asked.first + 1 as outcomes,
      (select clock_timestamp()) as at
    from asked cross join lateral (
      select brand_id, id, platform, notification_id, attempt, remaining, is_bulk, expires_at from chunks
      where brand_id = asked.brand_id and id = asked.id and claims = asked.claims for update
    ) as c
  ), outcome as materialized (
    select listed.*, claimed.brand_id, claimed.platform, claimed.notification_id, claimed.attempt, claimed.is_bulk,
      claimed.expires_at, claimed.at
    from claimed cross join lateral unnest(($7::bigint[])[first:last], ($8::text[])[first:last],
      ($9::text[])[first:last], ($10::timestamptz[])[first:last], ($11::integer[])[first:last],
      ($12::text[])[first:last], ($13::smallint[])[first:last])
      as listed (recipient, state, reason, retry_at, unknowns, language, variant)
  ), written as (
    insert into deliveries as d (brand_id, notification_id, subscription_id, state, reason, attempt, at, language,
      variant)
    select brand_id, notification_id, recipient, state, reason, attempt, at, language, variant
    from outcome
    on conflict (brand_id, notification_id, subscription_id) do update
    set state = excluded.state, reason = excluded.reason, attempt = excluded.attempt,
      at = excluded.at, language = excluded.language, variant = excluded.variant
    where d.state = 'retrying'
    returning ${DELIVERY_FACT}
  ), enqueued as (
    ${deliveryEndedSql('written')}
  ), retried as (
    insert into chunks (brand_id, platform, notification_id, first_id, last_id, subscription_ids, attempt, unknowns,
      remaining, is_bulk, ready_at, expires_at)
    select brand_id, platform, notification_id, min(recipient), max(recipient), array_agg(recipient order by recipient),
      attempt + 1, unknowns, count(*), is_bulk, retry_at, expires_at
    from outcome
    where state = 'retrying' and ((brand_id, notification_id, recipient) in (
      select brand_id, notification_id, subscription_id from written where state = 'retrying')) is true
    group by brand_id, platform, notification_id, attempt, is_bulk, expires_at, retry_at, unknowns
  ), shrunk as (
    update chunks set remaining = chunks.remaining - claimed.outcomes from claimed
    where chunks.brand_id = claimed.brand_id and chunks.id = claimed.id and claimed.remaining > claimed.outcomes
  ), ended as (
    delete from chunks using claimed
    where chunks.brand_id = claimed.brand_id and chunks.id = claimed.id and claimed.remaining <= claimed.outcomes
  ), came_to as (
    select brand_id, notification_id, state, reason, count(*) as count from written group by 1, 2, 3, 4
  ), summed as (
    select brand_id, notification_id, max(at) as at, sum(outcomes) as outcomes, sum(texts_cut) as texts_cut,
      coalesce(sum(count), 0) as came, coalesce(sum(count) filter (where state = 'accepted'), 0) as accepted,
      coalesce(sum(count) filter (where state = 'failed'), 0) as failed,
      coalesce(sum(count) filter (where state = 'expired'), 0) as expired,
      coalesce(sum(count) filter (where state = 'cancelled'), 0) as cancelled,
      array_agg(state) as states, array_agg(coalesce(reason, '')) as reasons, array_agg(count) as counts
    from (
      select brand_id, notification_id, at, outcomes, texts_cut, null as state, null as reason, null as count from claimed
      union all
      select brand_id, notification_id, null, 0, 0, state, reason, count from came_to
    ) as part
    group by brand_id, notification_id order by brand_id, notification_id
  ), locked as materialized (
    select summed.*, n.* from summed cross join lateral (
      select ${NOTIFICATION_PARTS} from notifications as n where n.brand_id = summed.brand_id and n.id = summed.notification_id for update
    ) as n
  ), added_up as (
    ${deliverySeriesSql('locked')}
  ), counted as (
    ${tallySql('locked', {
      accepted: 'accepted',
      failed: 'failed',
      expired: 'expired',
      cancelled: 'cancelled',
      correction: 'came - outcomes',
      texts_cut: 'texts_cut',
      isBegun: 'outcomes > 0',
    })}
    returning n.brand_id, n.id, n.state
  )
  select place::integer, case
      when (brand_id, notification_id) in (select brand_id, id from counted where state = 'cancelled') then 'cancelled'
      when brand_id = any ${STOPPED_BRANDS} then 'stopped' else 'claimed' end as state
  from claimed`,
}
