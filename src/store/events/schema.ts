import type { AttributeType } from '../../rules/attributes.ts'
import type { Db } from '../db.ts'
import { type RowPage, readPage } from '../page.ts'

export type EventSchemaRow = {
  readonly eventName: string
  readonly eventCount: bigint
  readonly firstSeenAt: number
  readonly lastSeenAt: number
  readonly attributes: readonly {
    readonly name: string
    readonly type: AttributeType
    readonly is_provisional: boolean
    readonly locked_at: string
    readonly last_seen_at: string
    readonly shown_count: number
    readonly mistyped_count: number
  }[]
}

/** A page of the event names that a brand has logged, each with its attributes and their type locks. */
export async function listEventSchema(
  tx: Db,
  page: {
    readonly brandId: number
    readonly prefix: string
    readonly afterName: string
    readonly limit: number
  },
): Promise<RowPage<EventSchemaRow>> {
  return readPage(tx, {
    text: `select event_name as "eventName", event_count as "eventCount", first_seen_at as "firstSeenAt",
       last_seen_at as "lastSeenAt",
       (select coalesce(jsonb_agg(jsonb_build_object('name', attribute, 'type', type, 'locked_at', locked_at,
           'is_provisional', is_provisional,
           'last_seen_at', l.last_seen_at, 'shown_count', shown_count, 'mistyped_count', mistyped_count)
           order by attribute), '[]')
         from attribute_locks as l where l.brand_id = n.brand_id and l.event_name = n.event_name) as attributes
     from event_names as n
     where brand_id = $1 and event_name > $2 and starts_with(fold_text(event_name), fold_text($4))
     order by event_name limit $3`,
    values: [page.brandId, page.afterName, page.limit, page.prefix],
    limit: page.limit,
    kind: 'documents',
  })
}
