import type { JsonObject } from '../../domain/values/json.ts'
import type { Db } from '../db.ts'
import { type RowPage, readPage } from '../page.ts'
import type { EndpointRef } from './endpoints.ts'

export type MessageState = 'waiting' | 'delivered' | 'failed'

/** One message for one endpoint, with the result of every attempt. */
export type MessageReport = {
  readonly id: string
  readonly type: string
  readonly state: MessageState
  readonly data: JsonObject
  readonly createdAt: number
  readonly readyAt: number
  readonly settledAt: number | null
  readonly attempts: readonly JsonObject[]
}

export type MessageQuery = EndpointRef & {
  readonly state: MessageState | null
  readonly beforeId: string | null
  readonly limit: number
}

/** A page of an endpoint's messages, newest first: an id begins with its time. */
export async function listMessages(tx: Db, query: MessageQuery): Promise<RowPage<MessageReport>> {
  const { brandId, id, state, beforeId, limit } = query
  return readPage(tx, {
    text: `select ${COLUMNS} from webhook_messages
     where brand_id = $1 and endpoint_id = $2 and ($3::uuid is null or id < $3)
       and ($4::text is null or state = $4) order by id desc limit $5`,
    values: [brandId, id, beforeId, state, limit],
    limit,
    kind: 'documents',
  })
}

export type MessageRef = EndpointRef & { readonly messageId: string }

/** One message; null when the endpoint has no such message, or it was purged. */
export async function loadMessage(
  tx: Db,
  { brandId, id, messageId }: MessageRef,
): Promise<MessageReport | null> {
  const { rows } = await tx.query<MessageReport>(
    `select ${COLUMNS} from webhook_messages where brand_id = $1 and endpoint_id = $2 and id = $3`,
    [brandId, id, messageId],
  )
  return rows[0] ?? null
}

export type Redrive = EndpointRef & {
  /** One message, in any state; or all messages of a state from a span of time. */
  readonly what:
    | { readonly messageId: string }
    | { readonly fromAt: number; readonly toAt: number; readonly isDeliveredToo: boolean }
  readonly rowsMax: number
}

/**
 * Sends messages once more, with all attempts anew. A message that failed and waits for its next attempt is among
 * them, unless a worker has claimed it. Gives the number; after a full round there may be more.
 */
export async function redriveMessages(tx: Db, { brandId, id, what, rowsMax }: Redrive): Promise<number> {
  const one = 'messageId' in what ? what.messageId : null
  const range = 'messageId' in what ? { fromAt: 0, toAt: 0, isDeliveredToo: true } : what
  const { count } = await tx.query(
    `with again as (
       select id from webhook_messages
       where brand_id = $1 and endpoint_id = $2
         and case state when 'waiting' then attempt > 0 and leased_by is null when 'delivered' then $4 else true end
         and case when $3::uuid is null then created_at >= $5 and created_at < $6 else id = $3 end
         and not (event_type = 'profile.erased' and state = 'delivered')
       order by id limit $7
     )
     update webhook_messages as m
     set state = 'waiting', attempt = 0, ready_at = clock_timestamp(), settled_at = null, leased_by = null
     from again where m.brand_id = $1 and m.endpoint_id = $2 and m.id = again.id and m.leased_by is null`,
    [brandId, id, one, range.isDeliveredToo, new Date(range.fromAt), new Date(range.toAt), rowsMax],
  )
  return count
}

const COLUMNS = `id, event_type as type, state, data, created_at as "createdAt", ready_at as "readyAt",
  settled_at as "settledAt", attempts`
