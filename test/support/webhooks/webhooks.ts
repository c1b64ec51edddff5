import type { JsonObject } from '../../../src/domain/values/json.ts'
import type { WebhookEventType } from '../../../src/rules/webhooks.ts'
import type { Database } from '../../../src/store/db.ts'

/** An endpoint that nothing is sent to, for tests that look into the outbox. Gives its id. */
export async function addEndpoint(
  database: Database,
  brandId: number,
  types: readonly WebhookEventType[],
): Promise<string> {
  const { rows } = await database.asSystem(brandId, async (tx) =>
    tx.query<{ id: string }>(
      `insert into webhook_endpoints (brand_id, url, event_types, created_at, updated_at)
       values ($1, 'https://hooks.example/', $2, now(), now()) returning id`,
      [brandId, types],
    ),
  )
  return rows[0]?.id ?? ''
}

export type OutboxRow = {
  readonly endpointId: string
  readonly type: string
  readonly profileId: bigint | null
  readonly data: JsonObject
}

/** What lies in a brand's outbox, oldest first. */
export async function outboxOf(database: Database, brandId: number): Promise<readonly OutboxRow[]> {
  const { rows } = await database.query<OutboxRow>(
    `select endpoint_id as "endpointId", event_type as type, profile_id as "profileId", data from webhook_messages
     where brand_id = $1 order by id`,
    [brandId],
  )
  return rows
}
