import type { DeliveryState } from '../rules/chunks.ts'
import { type ChunkRef, momentOf, NOW } from './chunks.ts'
import type { Db } from './db.ts'
import { tallySql } from './tally-sql.ts'
import { deliveryFactSql } from './webhook-facts.ts'

/** What came of one recipient of a chunk. */
export type Outcome = {
  readonly recipientId: bigint
  readonly state: DeliveryState
  readonly reason: string | null
  readonly providerMessageId: string | null
  /** When a `retrying` one is ready again; null in every other state. Those of one instant become one chunk. */
  readonly retryAt: number | null
}

export type Settlement = {
  readonly outcomes: readonly Outcome[]
  /** How many texts of them had to be cut to be shown. */
  readonly textsCut: number
}

/** `cancelled`: what is not handed over yet must not be; end the chunk. `lost`: it is somebody else's, nothing was written. */
export type Settled = 'held' | 'cancelled' | 'lost'

/**
 * Writes what came of some recipients of a claimed chunk, moves its progress and the counts, and makes a new chunk
 * of those to try again: all or nothing, in one statement. The chunk is gone when nothing of it remains.
 */
export async function settleChunk(
  db: Db,
  chunk: ChunkRef,
  { outcomes, textsCut }: Settlement,
): Promise<Settled> {
  const { rows } = await db.query<{ isCancelled: boolean }>(SETTLE, [
    chunk.brandId,
    chunk.id,
    chunk.claims,
    outcomes.map(({ recipientId }) => recipientId),
    outcomes.map(({ state }) => state),
    outcomes.map(({ reason }) => reason),
    outcomes.map(({ providerMessageId }) => providerMessageId),
    outcomes.map(({ retryAt }) => (retryAt === null ? null : new Date(retryAt))),
    textsCut,
  ])
  const [row] = rows
  if (row === undefined) return 'lost'
  return row.isCancelled ? 'cancelled' : 'held'
}

/** The end of a chunk whose rest will not be handed over, and why. */
export type ChunkEnd = {
  readonly state: Extract<DeliveryState, 'failed' | 'expired' | 'cancelled'>
  readonly reason: string
}

/** Counts all that remains of a claimed chunk as one thing; false if the chunk was lost. Nobody untried gets a row. */
export async function endChunk(db: Db, chunk: ChunkRef, { state, reason }: ChunkEnd): Promise<boolean> {
  const { count } = await db.query(
    `with gone as (
       delete from chunks where brand_id = $1 and id = $2 and claims = $3
       returning brand_id, notification_id, subscription_ids, remaining
     ), ${closeSql('$4', '$5')}
     ${tallySql('gone', {
       failed: `case $4 when 'failed' then remaining else 0 end`,
       expired: `case $4 when 'expired' then remaining else 0 end`,
       cancelled: `case $4 when 'cancelled' then remaining else 0 end`,
     })}`,
    [chunk.brandId, chunk.id, chunk.claims, state, reason],
  )
  return count === 1
}

/**
 * Ends chunks that expired before anybody took them. Notifications are locked in order, so that two sweepers never
 * wait for each other. Gives the number of chunks; a full round may have left more behind.
 */
export async function expireChunks(
  db: Db,
  { rowsMax, now }: { readonly rowsMax: number; readonly now?: number },
): Promise<number> {
  const limit = Math.trunc(rowsMax)
  const text = `with moment (now) as materialized (select coalesce($1::timestamptz, clock_timestamp())
     ), stale as (
       select brand_id, id from chunks
       where expires_at <= ${NOW} and (leased_by is null or ready_at <= ${NOW})
       order by expires_at limit ${limit} for update skip locked
     ), gone as (
       delete from chunks using stale where chunks.brand_id = stale.brand_id and chunks.id = stale.id
       returning chunks.brand_id, notification_id, subscription_ids, remaining
     ), ${closeSql(`'expired'`, `'expired'`)}, summed as (
       select brand_id, notification_id, sum(remaining) as remaining from gone group by 1, 2
     ), locked as materialized (
       select summed.* from notifications as n
       join summed on n.brand_id = summed.brand_id and n.id = summed.notification_id
       order by n.brand_id, n.id for update of n
     ), counted as (
       ${tallySql('locked', { expired: 'remaining' })}
     )
     select count(*)::integer as chunks from gone`
  const statement = { name: `expire chunks ${limit}`, text }
  const { rows } = await db.query<{ chunks: number }>(statement, [momentOf(now)])
  return rows[0]?.chunks ?? 0
}

/** What is told of a delivery that is over, which one that somebody cancelled is not worth. */
function tellSql(from: string): string {
  const type = `case fact.state when 'accepted' then 'delivery.accepted' when 'failed' then 'delivery.failed'
    when 'expired' then 'delivery.failed' end`
  return deliveryFactSql(
    { from, type },
    {
      state: 'fact.state',
      reason: 'fact.reason',
      attempt: 'fact.attempt',
      provider_message_id: 'fact.provider_message_id',
    },
  )
}

const DELIVERY_FACT =
  'd.brand_id, d.notification_id, d.subscription_id, d.state, d.reason, d.attempt, d.provider_message_id'

/** Closes the rows of those in `gone` who were waiting for another try; whoever was never tried has none. */
export function closeSql(state: string, reason: string): string {
  return `closed as (
    update deliveries as d set state = ${state}, reason = ${reason}, at = clock_timestamp()
    from gone cross join unnest(gone.subscription_ids) as waiting (id)
    where d.brand_id = gone.brand_id and d.notification_id = gone.notification_id
      and d.subscription_id = waiting.id and d.state = 'retrying'
    returning ${DELIVERY_FACT}
  ), told as (${tellSql('closed')})`
}

/**
 * `written` lacks an outcome only where the recipient already has a final one, which a change of zone can cause: it
 * was counted elsewhere, so the audience was one too large.
 */
const SETTLE = {
  name: 'settle chunk',
  text: `with held as materialized (
    select brand_id, id, notification_id, attempt, remaining, is_bulk, expires_at from chunks
    where brand_id = $1 and id = $2 and claims = $3 for update
  ), outcome as (
    select listed.*, held.brand_id, held.notification_id, held.attempt
    from held cross join unnest($4::bigint[], $5::text[], $6::text[], $7::text[], $8::timestamptz[])
      as listed (recipient, state, reason, provider_message_id, retry_at)
  ), written as (
    insert into deliveries as d (brand_id, notification_id, subscription_id, state, reason, attempt,
      provider_message_id, at)
    select brand_id, notification_id, recipient, state, reason, attempt, provider_message_id, clock_timestamp()
    from outcome
    on conflict (brand_id, notification_id, subscription_id) do update
    set state = excluded.state, reason = excluded.reason, attempt = excluded.attempt,
      provider_message_id = excluded.provider_message_id, at = excluded.at
    where d.state = 'retrying'
    returning ${DELIVERY_FACT}
  ), told as (
    ${tellSql('written')}
  ), retried as (
    insert into chunks (brand_id, notification_id, first_id, last_id, subscription_ids, attempt, remaining, is_bulk,
      ready_at, expires_at)
    select held.brand_id, held.notification_id, min(recipient), max(recipient), array_agg(recipient order by recipient),
      held.attempt + 1, count(*), held.is_bulk, outcome.retry_at, held.expires_at
    from held join outcome on outcome.state = 'retrying'
    join written on written.subscription_id = outcome.recipient
    group by held.brand_id, held.notification_id, held.attempt, held.is_bulk, held.expires_at, outcome.retry_at
  ), came as (
    select state as came_to from written
  ), progress as (
    select count(*)::integer as outcomes from outcome
  ), shrunk as (
    update chunks set remaining = chunks.remaining - progress.outcomes from held, progress
    where chunks.brand_id = held.brand_id and chunks.id = held.id and held.remaining > progress.outcomes
  ), ended as (
    delete from chunks using held, progress
    where chunks.brand_id = held.brand_id and chunks.id = held.id and held.remaining <= progress.outcomes
  )
  ${tallySql('held left join came on true cross join progress group by brand_id, notification_id, outcomes', {
    accepted: `count(*) filter (where came_to = 'accepted')`,
    failed: `count(*) filter (where came_to = 'failed')`,
    expired: `count(*) filter (where came_to = 'expired')`,
    cancelled: `count(*) filter (where came_to = 'cancelled')`,
    correction: 'count(came_to) - outcomes',
    texts_cut: '$9',
  })}
  returning n.state = 'cancelled' as "isCancelled"`,
}
