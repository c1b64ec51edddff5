import type { Db } from '../db.ts'
import { type EventNeed, needing } from '../event-needs.ts'
import { type RowPage, readPage } from '../page.ts'
import type { ProfileFacts } from '../people/person.ts'
import { filterNeed } from './filter.ts'

/** An event in a span of time: from `fromAt`, and before `toAt`. */
export type EventSpan = {
  readonly brandId: number
  readonly eventName: string
  readonly fromAt: number
  readonly toAt: number
}

export type PersonRow = ProfileFacts & { readonly id: bigint; readonly userIds: readonly string[] }

/** A page of the people who did the event in the span, by profile id. */
export async function listPeople(
  tx: Db,
  span: EventSpan & { readonly afterId: bigint; readonly limit: number },
): Promise<RowPage<PersonRow>> {
  return readPage(tx, {
    text: `select id, array(select value from profile_identities as i
         where i.brand_id = $1 and i.profile_id = profiles.id and kind = 'user_id' order by value) as "userIds",
       email, mobile, attributes, tags, created_at as "createdAt", updated_at as "updatedAt"
     from profiles
     where brand_id = $1 and id > $5 and id in (
       select profile_id from events
       where brand_id = $1 and event_name = $2 and event_at >= $3 and event_at < $4
     )
     order by id limit $6`,
    values: needing([...valuesOf(span), span.afterId, span.limit], needOf(span)),
    limit: span.limit,
    kind: 'documents',
  })
}

export async function countPeople(tx: Db, span: EventSpan): Promise<bigint> {
  const { rows } = await tx.query<{ count: bigint }>(
    `select count(distinct profile_id) from events
     where brand_id = $1 and event_name = $2 and event_at >= $3 and event_at < $4`,
    needing(valuesOf(span), needOf(span)),
  )
  return rows[0]?.count ?? 0n
}

/** One event of each person tells that they did it. */
function needOf(span: EventSpan): EventNeed {
  return { ...filterNeed({ ...span, userId: null }), pick: { kind: 'each', limit: 1 }, isBare: true }
}

function valuesOf({ brandId, eventName, fromAt, toAt }: EventSpan): readonly unknown[] {
  return [brandId, eventName, new Date(fromAt), new Date(toAt)]
}
