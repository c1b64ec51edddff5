import { encodeJson, type JsonObject } from '../../domain/values/json.ts'
import type { WebhookMessage } from '../../domain/webhooks/call.ts'
import type { EndpointFate, MessageFate } from '../../domain/webhooks/verdict.ts'
import { WEBHOOK_RULES } from '../../rules/webhooks.ts'
import type { Db } from '../db.ts'
import { momentOf } from '../push/chunks.ts'
import { UNHELD } from '../push/sending-hold.ts'

/** A message that one worker has claimed, for the length of its lease. */
export type ClaimedMessage = WebhookMessage & {
  readonly brandId: number
  readonly endpointId: string
  readonly claims: number
  /** How often the message was tried before. */
  readonly attempt: number
  /** The same for messages of one call. */
  readonly call: string
}

export type WebhookClaim = {
  readonly workerId: string
  /** How many calls are wanted; a call to an endpoint that takes batches has several messages. */
  readonly calls: number
  readonly leaseMs: number
  /** `failing` claims messages of endpoints whose last call failed, `well` those of all others. */
  readonly health: 'well' | 'failing'
  readonly now?: number
}

/** Leases messages that are ready; endpoints take turns. */
export async function claimWebhooks(db: Db, claim: WebhookClaim): Promise<readonly ClaimedMessage[]> {
  const isFailing = claim.health === 'failing'
  const callsMax = isFailing ? WEBHOOK_RULES.failingCallsMax : WEBHOOK_RULES.callsMax
  const values = [claim.workerId, claim.calls, claim.leaseMs, isFailing, callsMax, momentOf(claim.now)]
  const { rows } = await db.query<ClaimedMessage>(CLAIM, values)
  return rows
}

const CLAIM = {
  name: 'claim_webhooks',
  text: `select m.brand_id as "brandId", m.endpoint_id as "endpointId", m.id, m.claims, m.attempt,
      m.event_type as type, m.data, m.created_at as at,
      m.endpoint_id || ' ' || (row_number() over (partition by m.endpoint_id order by m.id) - 1) / e.batch_max as call
    from claim_webhooks($1, $2, $3 * interval '1 millisecond', $4, $5, $6) as m
    join webhook_endpoints as e on e.brand_id = m.brand_id and e.id = m.endpoint_id
    join brands on brands.id = m.brand_id and brands.deleted_at is null
    where ${UNHELD} order by m.id`,
}

/** Makes leases run from now again, and gives the ids of the messages that the worker still has. */
export async function renewWebhooks(
  db: Db,
  messages: readonly ClaimedMessage[],
  { leaseMs }: { readonly leaseMs: number },
): Promise<readonly string[]> {
  const { rows } = await db.query<{ id: string }>(
    `update webhook_messages as m set ready_at = clock_timestamp() + $5 * interval '1 millisecond'
     from ${CLAIMED} where ${IS_CLAIMED} returning m.id`,
    [...refsOf(messages), leaseMs],
  )
  return rows.map(({ id }) => id)
}

/** Gives messages back untried, so that another worker can have them now. */
export async function releaseWebhooks(db: Db, messages: readonly ClaimedMessage[]): Promise<void> {
  await db.query(
    `update webhook_messages as m set ready_at = clock_timestamp(), leased_by = null from ${CLAIMED} where ${IS_CLAIMED}`,
    refsOf(messages),
  )
}

const CLAIMED = `unnest($1::integer[], $2::uuid[], $3::uuid[], $4::integer[]) as claimed (brand_id, endpoint_id, id, claims)`
const IS_CLAIMED = `m.brand_id = claimed.brand_id and m.endpoint_id = claimed.endpoint_id and m.id = claimed.id
  and m.claims = claimed.claims and m.state = 'waiting'`

function refsOf(messages: readonly ClaimedMessage[]): readonly unknown[] {
  return [
    messages.map(({ brandId }) => brandId),
    messages.map(({ endpointId }) => endpointId),
    messages.map(({ id }) => id),
    messages.map(({ claims }) => claims),
  ]
}

export type CallSettlement = {
  readonly brandId: number
  readonly endpointId: string
  readonly fates: readonly { readonly message: ClaimedMessage; readonly fate: MessageFate }[]
  readonly endpoint: EndpointFate
  /** The entry of the log. */
  readonly attempt: JsonObject
  readonly now: number
}

/**
 * Writes the result of a call to its messages and to the endpoint, in one statement. Messages whose claim was lost are
 * left alone. The data of a message about an erased person is emptied once it was delivered.
 */
export async function settleCall(db: Db, settlement: CallSettlement): Promise<void> {
  const { fates, endpoint, attempt, now } = settlement
  await db.query(SETTLE, [
    settlement.brandId,
    settlement.endpointId,
    fates.map(({ message }) => message.id),
    fates.map(({ message }) => message.claims),
    fates.map(({ fate }) => fate.state),
    fates.map(({ fate }) => (fate.readyAt === null ? null : new Date(fate.readyAt))),
    encodeJson(attempt),
    endpoint.kind,
    endpoint.kind === 'failing' && endpoint.pausedUntil !== null ? new Date(endpoint.pausedUntil) : null,
    new Date(now),
    new Date(now - WEBHOOK_RULES.failingMsMax),
  ])
}

const IS_ENDED = `($8::text = 'gone' or $8 = 'failing' and failing_since <= $11::timestamptz)`

const SETTLE = {
  name: 'settle_webhook_call',
  text: `with written as (
      update webhook_messages as m
      set state = given.state, ready_at = coalesce(given.ready_at, m.ready_at), leased_by = null,
        attempt = m.attempt + 1, settled_at = case when given.state <> 'waiting' then $10::timestamptz end,
        attempts = case when jsonb_array_length(m.attempts) < ${WEBHOOK_RULES.attemptsShown}
          then m.attempts else m.attempts - 0 end || $7::jsonb,
        data = case when given.state = 'delivered' and m.event_type = 'profile.erased' then '{}' else m.data end
      from unnest($3::uuid[], $4::integer[], $5::text[], $6::timestamptz[]) as given (id, claims, state, ready_at)
      where m.brand_id = $1 and m.endpoint_id = $2 and m.id = given.id and m.claims = given.claims
        and m.state = 'waiting'
      returning m.id
    )
    update webhook_endpoints as e
    set failing_since = case $8 when 'well' then null else coalesce(failing_since, $10) end,
      paused_until = case $8 when 'well' then null else greatest(paused_until, $9) end,
      disabled_at = case when ${IS_ENDED} then $10 end,
      disabled_reason = case when ${IS_ENDED} then case $8 when 'gone' then 'gone' else 'failing' end end
    where brand_id = $1 and id = $2 and disabled_at is null and exists (select from written)
      and ($8 <> 'well' or failing_since is not null or paused_until is not null)`,
}
