import { encodeJson, type JsonObject } from '../../domain/values/json.ts'
import type { WebhookEventType } from '../../rules/webhooks.ts'
import type { Db } from '../db.ts'

/** Something that happened, as the endpoints of the brand are told. */
export type WebhookEvent = {
  readonly type: WebhookEventType
  /** When it happened. */
  readonly at: number
  /** Whom it is about, so that an erasure finds it; null when it is about nobody. */
  readonly profileId: bigint | null
  readonly data: JsonObject
  /** One endpoint that is told whether it asked or not, as a step of a journey does; otherwise whoever asked. */
  readonly endpointId?: string
}

/**
 * Writes events into the outbox: `enqueueWebhooks(tx, brandId, events)`. Call it in the transaction that writes the
 * facts, with all of them at once; it is one statement, and next to nothing when no endpoint of the brand asked. The
 * number of rows written comes back.
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
    select e.brand_id, e.id, told.type, told."profileId", told.data, to_timestamp(told.at / 1000), clock_timestamp()
    from webhook_endpoints as e
    cross join jsonb_to_recordset($2) as told
      (type text, at double precision, "profileId" bigint, data jsonb, "endpointId" uuid)
    where e.brand_id = $1 and e.disabled_at is null
      and case when told."endpointId" is null then told.type = any(e.event_types) else e.id = told."endpointId" end`,
}

/** Whether a brand has anybody to tell, for whoever would have to look up a lot to tell it. */
export async function hasEndpoint(tx: Db, brandId: number): Promise<boolean> {
  const { count } = await tx.query(HAS_ENDPOINT, [brandId])
  return count > 0
}

const HAS_ENDPOINT = {
  name: 'has_webhook_endpoint',
  text: 'select from webhook_endpoints where brand_id = $1 and disabled_at is null limit 1',
}

/** Rows of a larger statement that are facts to tell, as SQL. `fact` is the name they go by. */
export type OutboxRows = {
  /** A table expression called `fact` that has a brand_id: `written as fact`. */
  readonly from: string
  /** An expression for the type of the event; null for a row that is not told. */
  readonly type: string
  readonly profileId: string
  /** What is told, each an expression. It is evaluated only for rows that somebody asked for. */
  readonly data: Readonly<Record<string, string>>
}

/** The same for facts that a statement has just written: the body of one more part of its `with`. */
export function outboxSql({ from, type, profileId, data }: OutboxRows): string {
  const fields = Object.entries(data).map(([name, expression]) => `'${name}', ${expression}`)
  return `insert into webhook_messages (brand_id, endpoint_id, event_type, profile_id, data, created_at, ready_at)
    select e.brand_id, e.id, ${type}, ${profileId}, jsonb_build_object(${fields.join(', ')}),
      clock_timestamp(), clock_timestamp()
    from ${from} join webhook_endpoints as e
      on e.brand_id = fact.brand_id and e.disabled_at is null and ${type} = any(e.event_types)`
}
