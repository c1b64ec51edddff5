import { STOPPED_BRANDS } from '../brand/brand-state.ts'
import type { Db } from '../db.ts'
import { deliverySeriesSql, NOTIFICATION_PARTS } from '../series/changes.ts'
import type { AcceptedBlock } from './accepted-blocks.ts'
import { CHUNK_PROGRESS } from './chunk-progress-sql.ts'
import { deliveryEndedSql, packedFactsSql } from './delivery-ends.ts'
import { IS_PACKED } from './packing-sql.ts'
import type { ClaimState, Settlement } from './settlement.ts'
import { tallySql } from './tally-sql.ts'

/** A settlement whose outcomes are all in blocks. */
export type AcceptedSettlement = {
  readonly settlement: Settlement
  readonly blocks: readonly AcceptedBlock[]
}

/**
 * Does what `settleChunks` does, for outcomes that are nothing but accepted: the usual ones of a broadcast, in a
 * statement of half the cost. Null when a chunk may not have bits; then nothing was written.
 */
export async function settleAccepted(
  tx: Db,
  settled: readonly AcceptedSettlement[],
): Promise<readonly ClaimState[] | null> {
  const blocks = settled.flatMap((one) => one.blocks)
  let last = 0
  const { rows } = await tx.query<{ place: number; state: ClaimState; isWritten: boolean }>(SETTLE_ACCEPTED, [
    settled.map(({ settlement }) => settlement.chunk.brandId),
    settled.map(({ settlement }) => settlement.chunk.id),
    settled.map(({ settlement }) => settlement.chunk.claims),
    settled.map(({ settlement }) => settlement.textsCut),
    settled.map(({ settlement }) => settlement.outcomes.length),
    settled.map((one) => {
      last += one.blocks.length
      return last
    }),
    blocks.map(({ block }) => block),
    blocks.map(({ firstPlace }) => firstPlace),
    blocks.map(({ bits }) => bits.toString('hex')),
    blocks.map(({ language }) => language),
    blocks.map(({ variant }) => variant),
  ])
  if (rows.some(({ isWritten }) => !isWritten)) return null
  const states = settled.map((): ClaimState => 'lost')
  for (const { place, state } of rows) states[place - 1] = state
  return states
}

/** The chunks and after them the notifications are locked in the same order as by `settleChunks`. */
const SETTLE_ACCEPTED = {
  name: 'settle_accepted',
  text: `with asked as (
    select *, lag(last_block, 1, 0) over (order by place) + 1 as first_block
    from unnest($1::integer[], $2::bigint[], $3::integer[], $4::integer[], $5::integer[], $6::integer[])
      with ordinality as asked (brand_id, id, claims, texts_cut, outcomes, last_block, place)
    order by brand_id, id
  ), held as materialized (
    select c.*, asked.place, asked.texts_cut, asked.outcomes, asked.first_block, asked.last_block,
      (select clock_timestamp()) as at, ${IS_PACKED} as is_packed
    from asked cross join lateral (
      select brand_id, id, notification_id, attempt, remaining, is_bulk, zone from chunks
      where brand_id = asked.brand_id and id = asked.id and claims = asked.claims for update
    ) as c
  ), claimed as materialized (
    select * from held where (select bool_and(is_packed) from held)
  ), packed as materialized (
    select listed.block, listed.first_place, decode(listed.bits, 'hex') as bits, listed.language, listed.variant,
      brand_id, notification_id, at, is_packed
    from claimed cross join lateral unnest(($7::bigint[])[first_block:last_block],
      ($8::smallint[])[first_block:last_block], ($9::text[])[first_block:last_block],
      ($10::text[])[first_block:last_block], ($11::smallint[])[first_block:last_block])
      as listed (block, first_place, bits, language, variant)
  ), blocks as (
    insert into accepted_blocks (brand_id, notification_id, block, first_place, bits, language, variant, at)
    select brand_id, notification_id, block, first_place, bits, language, variant, at from packed
  ), enqueued as (
    ${deliveryEndedSql(`(${packedFactsSql('packed')})`)}
  ), ${CHUNK_PROGRESS}, summed as (
    select brand_id, notification_id, max(at) as at, sum(outcomes) as outcomes, sum(texts_cut) as texts_cut,
      sum(accepted) as accepted
    from (
      select brand_id, notification_id, at, outcomes, texts_cut, 0 as accepted from claimed
      union all
      select brand_id, notification_id, null, 0, 0, bit_count(bits) from packed
    ) as part
    group by brand_id, notification_id order by brand_id, notification_id
  ), locked as materialized (
    select summed.*, array['accepted'] as states, array[''] as reasons, array[accepted] as counts, n.*
    from summed cross join lateral (
      select ${NOTIFICATION_PARTS} from notifications as n where n.brand_id = summed.brand_id and n.id = summed.notification_id for update
    ) as n
  ), added_up as (
    ${deliverySeriesSql('locked')}
  ), counted as (
    ${tallySql('locked', {
      accepted: 'accepted',
      correction: 'accepted - outcomes',
      texts_cut: 'texts_cut',
      isBegun: 'outcomes > 0',
    })}
    returning n.brand_id, n.id, n.state
  )
  select place::integer, exists (select from claimed) as "isWritten", case
      when (brand_id, notification_id) in (select brand_id, id from counted where state = 'cancelled') then 'cancelled'
      when brand_id = any ${STOPPED_BRANDS} then 'stopped' else 'claimed' end as state
  from held`,
}
