import { firstIdAt } from '../../domain/events/week.ts'
import type { Filter } from '../../domain/segments/segment.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'
import { type Binds, writtenBefore, writtenInstant } from '../bind.ts'
import { anyEvents, type EventNeed } from '../event-needs.ts'
import { userSql } from '../people/user-conditions.ts'

/** Which events are wanted. A field that is null does not matter. */
export type EventFilter = {
  readonly brandId: number
  readonly userId: string | null
  readonly eventName: string | null
  readonly fromAt: number
  readonly toAt: number
  /** An attribute, and the JSON that it must equal; null when the attribute only has to be there. */
  readonly attribute: { readonly name: string; readonly equals: string | null } | null
}

/** The people whose events are wanted. Their filter must be asked as the engine. */
export type EventPeople = { readonly brandId: number; readonly people: Filter; readonly now: number }

/** The condition that an event `e` is of one of these people. */
export function ofPeopleSql(people: EventPeople, binds: Binds): string {
  return `e.profile_id in (${peopleSql(people, binds)})`
}

/**
 * The condition that an event `e` is of nobody who is being erased: their rows are deleted a little later, and answers leave them
 * out at once. The planner reads the few people once, whatever the number of events.
 */
export function notErasedSql(brand: string): string {
  return `e.profile_id not in (select profile_id from erasures where brand_id = ${brand})`
}

/** The ids of these people. */
export function peopleSql({ brandId, people, now }: EventPeople, binds: Binds): string {
  const such = userSql({ brandId, search: null, filter: people, now }, binds)
  return `select p.id from profiles as p where ${such}`
}

/** The conditions of a filter, for a statement over `events as e`. */
export function filterSql(filter: EventFilter, binds: Binds): string {
  const brand = binds.add(filter.brandId)
  const conditions = [
    `e.brand_id = ${brand}`,
    `e.event_at >= ${binds.add(new Date(filter.fromAt))}`,
    `e.event_at < ${binds.add(new Date(filter.toAt))}`,
    // No event is received long before it happens, so older partitions need not be read.
    `e.id >= ${binds.add(firstIdAt(Math.max(0, filter.fromAt - EVENT_LIMITS.futureMsMax)))}`,
  ]
  if (filter.userId !== null) conditions.push(personSql(brand, binds.add(filter.userId)))
  if (filter.eventName !== null) conditions.push(`e.event_name = ${binds.add(filter.eventName)}`)
  if (filter.attribute !== null) conditions.push(attributeSql(filter.attribute, binds))
  return conditions.join(' and ')
}

/** The events that such a filter can find. */
export function filterNeed({
  brandId,
  userId,
  eventName,
  fromAt,
  toAt,
}: Omit<EventFilter, 'attribute'>): EventNeed {
  return {
    ...anyEvents(brandId),
    people: userId === null ? null : { userId },
    names: eventName === null ? null : [eventName],
    since: writtenInstant(fromAt),
    until: writtenBefore(toAt),
  }
}

/** The profiles of a user. After a recent merge, events may still be under the absorbed profile. */
function personSql(brand: string, user: string): string {
  return `e.profile_id = any(array(
    with recursive mine as (select profile_id as id from profile_identities
      where brand_id = ${brand} and kind = 'user_id' and value = ${user}
    union all select absorbed_id from profile_merges join mine on survivor_id = mine.id
    where brand_id = ${brand} and state = 'moving')
    select id from mine))`
}

function attributeSql({ name, equals }: NonNullable<EventFilter['attribute']>, binds: Binds): string {
  const attribute = binds.add(name)
  if (equals === null) return `e.attributes ? ${attribute}`
  return `e.attributes -> ${attribute}::text = ${binds.add(equals)}::jsonb`
}
