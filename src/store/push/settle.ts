import { STOPPED_BRANDS } from '../brand/brand-state.ts'
import type { Db } from '../db.ts'
import { deliverySeriesSql, NOTIFICATION_PARTS } from '../series/changes.ts'
import { type PackedOutcomes, packAccepted } from './accepted-blocks.ts'
import { CHUNK_PROGRESS } from './chunk-progress-sql.ts'
import { DELIVERY_FACT, deliveryEndedSql, packedFactsSql } from './delivery-ends.ts'
import { IS_SET, PLACES, UNPACKED_ID } from './delivery-sql.ts'
import { canHaveBits, IS_PACKED } from './packing-sql.ts'
import { type AcceptedSettlement, settleAccepted } from './settle-accepted.ts'
import type { ClaimState, RecipientOutcome, Settlement } from './settlement.ts'
import { tallySql } from './tally-sql.ts'

/**
 * Writes outcomes of recipients of claimed chunks, moves the progress of the chunks and the counts, and makes new chunks
 * of the recipients to try again: all or nothing, because only one statement writes. A chunk is deleted when nothing of
 * it remains. Gives the state of each claim, in the order of the settlements. Run it on a connection for queues.
 */
export async function settleChunks(
  tx: Db,
  settlements: readonly Settlement[],
): Promise<readonly ClaimState[]> {
  const packed = settlements.map(({ outcomes }) => packAccepted(outcomes))
  const accepted = settlements.map((settlement, place) => acceptedOnly(settlement, packed[place]))
  const states = accepted.every((one) => one !== null) ? await settleAccepted(tx, accepted) : null
  return states ?? settleAll(tx, settlements, packed)
}

/** Null when the settlement has other outcomes too, or none. */
function acceptedOnly(settlement: Settlement, packed: Packed | undefined): AcceptedSettlement | null {
  const { kind } = settlement
  if (packed === undefined || packed.blocks.length === 0 || packed.listed.length > 0) return null
  return kind === undefined || canHaveBits(kind) ? { settlement, blocks: packed.blocks } : null
}

type Packed = PackedOutcomes<RecipientOutcome>

async function settleAll(
  tx: Db,
  settlements: readonly Settlement[],
  packed: readonly Packed[],
): Promise<readonly ClaimState[]> {
  const outcomes = packed.flatMap(({ listed }) => listed)
  const blocks = packed.flatMap((one) => one.blocks)
  const { rows } = await tx.query<{ place: number; state: ClaimState }>(SETTLE, [
    settlements.map(({ chunk }) => chunk.brandId),
    settlements.map(({ chunk }) => chunk.id),
    settlements.map(({ chunk }) => chunk.claims),
    settlements.map(({ textsCut }) => textsCut),
    settlements.map((settlement) => settlement.outcomes.length),
    endPlaces(packed.map(({ listed }) => listed.length)),
    endPlaces(packed.map((one) => one.blocks.length)),
    outcomes.map(({ recipientId }) => recipientId),
    outcomes.map(({ state }) => state),
    outcomes.map(({ reason }) => reason),
    outcomes.map(({ retryAt }) => (retryAt === null ? null : new Date(retryAt))),
    outcomes.map(({ unknowns }) => unknowns),
    outcomes.map(({ language }) => language),
    outcomes.map(({ variant }) => variant),
    blocks.map(({ block }) => block),
    blocks.map(({ firstPlace }) => firstPlace),
    blocks.map(({ bits }) => bits.toString('hex')),
    blocks.map(({ language }) => language),
    blocks.map(({ variant }) => variant),
  ])
  const states = settlements.map((): ClaimState => 'lost')
  for (const { place, state } of rows) states[place - 1] = state
  return states
}

/** The place of each list's last element among those of all, counted from 1. */
function endPlaces(lengths: readonly number[]): readonly number[] {
  let sum = 0
  return lengths.map((length) => {
    sum += length
    return sum
  })
}

/**
 * Chunks are locked in order, and after them notifications, so that two workers never wait for each other. A chunk has
 * its outcomes as a slice of the arrays: a join would compare every chunk with every outcome. The same holds for the
 * `in` of `retried`, which PostgreSQL hashes because of its `is true`.
 *
 * Accepted recipients come as `packed` bits. They are stored as such for the first attempt of a large audience, whose
 * recipients cannot have an outcome yet; all others become rows. With time zones a recipient can be in two chunks, after
 * a change of zone, and only the key of `deliveries` tells: `written` lacks the outcome of a recipient who already has
 * a final one. It was counted elsewhere, so the audience was one too large.
 *
 * The outcomes are added up once, in `came_to`, for the counts and for the series. All outcomes have one time, so it has
 * few rows.
 */
const CHUNK_PARTS = 'brand_id, platform, notification_id, attempt, is_bulk, expires_at, at'

const SETTLE = {
  name: 'settle_chunks',
  text: `with asked as (
    select *, lag(last, 1, 0) over (order by place) as before, lag(last_block, 1, 0) over (order by place) as before_block
    from unnest($1::integer[], $2::bigint[], $3::integer[], $4::integer[], $5::integer[], $6::integer[], $7::integer[])
      with ordinality as asked (brand_id, id, claims, texts_cut, outcomes, last, last_block, place)
    order by brand_id, id
  ), claimed as materialized (
    select c.*, asked.place, asked.texts_cut, asked.outcomes, asked.before + 1 as first, asked.last,
      asked.before_block + 1 as first_block, asked.last_block, (select clock_timestamp()) as at,
      ${IS_PACKED} as is_packed
    from asked cross join lateral (
      select brand_id, id, platform, notification_id, attempt, remaining, is_bulk, expires_at, zone from chunks
      where brand_id = asked.brand_id and id = asked.id and claims = asked.claims for update
    ) as c
  ), packed as materialized (
    select listed.block, listed.first_place, decode(listed.bits, 'hex') as bits, listed.language, listed.variant,
      claimed.*
    from claimed cross join lateral unnest(($15::bigint[])[first_block:last_block],
      ($16::smallint[])[first_block:last_block], ($17::text[])[first_block:last_block],
      ($18::text[])[first_block:last_block], ($19::smallint[])[first_block:last_block])
      as listed (block, first_place, bits, language, variant)
  ), outcome as materialized (
    select listed.*, ${CHUNK_PARTS}
    from claimed cross join lateral unnest(($8::bigint[])[first:last], ($9::text[])[first:last],
      ($10::text[])[first:last], ($11::timestamptz[])[first:last], ($12::integer[])[first:last],
      ($13::text[])[first:last], ($14::smallint[])[first:last])
      as listed (recipient, state, reason, retry_at, unknowns, language, variant)
    union all
    select ${UNPACKED_ID}, 'accepted', null, null, 0, language, variant, ${CHUNK_PARTS}
    from (select * from packed where not is_packed offset 0) as packed cross join lateral ${PLACES}
    where ${IS_SET}
  ), blocks as (
    insert into accepted_blocks (brand_id, notification_id, block, first_place, bits, language, variant, at)
    select brand_id, notification_id, block, first_place, bits, language, variant, at from packed where is_packed
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
    ${deliveryEndedSql(`(select * from written union all ${packedFactsSql('packed')})`)}
  ), retried as (
    insert into chunks (brand_id, platform, notification_id, first_id, last_id, subscription_ids, attempt, unknowns,
      remaining, is_bulk, ready_at, expires_at)
    select brand_id, platform, notification_id, min(recipient), max(recipient), array_agg(recipient order by recipient),
      attempt + 1, unknowns, count(*), is_bulk, retry_at, expires_at
    from outcome
    where state = 'retrying' and ((brand_id, notification_id, recipient) in (
      select brand_id, notification_id, subscription_id from written where state = 'retrying')) is true
    group by brand_id, platform, notification_id, attempt, is_bulk, expires_at, retry_at, unknowns
  ), ${CHUNK_PROGRESS}, came_to as (
    select brand_id, notification_id, state, reason, count(*) as count from written group by 1, 2, 3, 4
    union all
    select brand_id, notification_id, 'accepted', null, sum(bit_count(bits)) from packed where is_packed group by 1, 2
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
