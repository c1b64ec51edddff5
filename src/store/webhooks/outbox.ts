import { encodeJson, type JsonObject } from '../../domain/values/json.ts'
import type { WebhookEventType } from '../../rules/webhooks.ts'
import type { Db } from '../db.ts'

/** Something that happened, in the form of a message to the brand's endpoints. */
export type WebhookEvent = {
  readonly type: WebhookEventType
  /** When it happened. */
  readonly at: number
  /** The person it is about, so that an erasure finds the message; null when it is about no person. */
  readonly profileId: bigint | null
  readonly data: JsonObject
  /**
   * One endpoint that gets the message whether it asked or not, as a journey step does; without it, all endpoints that
   * asked.
   */
  readonly endpointId?: string
}

/**
 * Writes messages into the outbox. Call it in the transaction that writes the facts, with all of them at once: it is
 * one statement, and costs next to nothing when no endpoint asked. Gives the number of rows.
 */
export async function enqueueWebhooks(
  tx: Db,
  brandId: number,
  events: readonly WebhookEvent[],
): Promise<number> {
  if (events.length === 0) return 0
  const { count } = await tx.query(ENQUEUE, [brandId, encodeJson(events)])
  return count
}

const ENQUEUE = {
  name: 'enqueue_webhooks',
  text: `insert into webhook_messages (brand_id, endpoint_id, event_type, profile_id, data, created_at, ready_at)
    select e.brand_id, e.id, fact.type, fact."profileId", fact.data, to_timestamp(fact.at / 1000), clock_timestamp()
    from webhook_endpoints as e
    cross join jsonb_to_recordset($2) as fact
      (type text, at double precision, "profileId" bigint, data jsonb, "endpointId" uuid)
    where e.brand_id = $1 and e.disabled_at is null
      and case when fact."endpointId" is null then fact.type = any(e.event_types) else e.id = fact."endpointId" end`,
}

/** Whether the brand has an enabled endpoint. A caller asks this before it looks up a lot for a message. */
export async function hasEndpoint(tx: Db, brandId: number): Promise<boolean> {
  const { count } = await tx.query(HAS_ENDPOINT, [brandId])
  return count > 0
}

const HAS_ENDPOINT = {
  name: 'has_webhook_endpoint',
  text: 'select from webhook_endpoints where brand_id = $1 and disabled_at is null limit 1',
}

/** Rows of a larger statement that become messages, as SQL. Their alias is `fact`. */
export type OutboxRows = {
  /** A table expression called `fact` that has a brand_id: `written as fact`. */
  readonly from: string
  /** An expression for the type of the event; null for a row without a message. */
  readonly type: string
  readonly profileId: string
  /** The fields of the message, each an expression. They are evaluated only for rows that an endpoint asked for. */
  readonly data: Readonly<Record<string, string>>
}

/**
 * The SQL that enqueues messages for facts that a statement has just written: the body of one more part of its `with`.
 */
export function outboxSql({ from, type, profileId, data }: OutboxRows): string {
  const fields = Object.entries(data).map(([name, expression]) => `'${name}', ${expression}`)
  return `insert into webhook_messages (brand_id, endpoint_id, event_type, profile_id, data, created_at, ready_at)
    select e.brand_id, e.id, ${type}, ${profileId}, jsonb_build_object(${fields.join(', ')}),
      clock_timestamp(), clock_timestamp()
    from ${from} join webhook_endpoints as e
      on e.brand_id = fact.brand_id and e.disabled_at is null and ${type} = any(e.event_types)`
}
