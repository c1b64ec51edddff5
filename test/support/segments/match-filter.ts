import { compare, compareAttribute } from '../../../src/domain/segments/comparison.ts'
import { type EventCondition, type Filter, isCount } from '../../../src/domain/segments/segment.ts'
import { unreachable } from '../../../src/domain/unreachable.ts'
import type { JsonObject } from '../../../src/domain/values/json.ts'
import type { SegmentFact } from '../../../src/rules/segments.ts'

/** The subject of a filter: a subscription together with the person it belongs to, if it belongs to one. */
export type Member = {
  /** A merged person has several; a subscription that nobody logged in to has none. */
  readonly userIds: readonly string[]
  /** The tags of the subscription and of the person. */
  readonly tags: readonly string[]
  /** The person's, as JSON. */
  readonly attributes: JsonObject
  readonly events: readonly MemberEvent[]
  /** What is not known is absent. Instants are texts with an offset. */
  readonly facts: Partial<Readonly<Record<SegmentFact, string | number>>>
}

type MemberEvent = { readonly name: string; readonly at: number; readonly attributes: JsonObject }

/** Whether a member belongs to a filter. The server asks in SQL; tests hold its SQL to this. */
export function matchFilter(filter: Filter, member: Member, now: number): boolean {
  switch (filter.kind) {
    case 'all':
      return filter.of.every((part) => matchFilter(part, member, now))
    case 'any':
      return filter.of.some((part) => matchFilter(part, member, now))
    case 'not':
      return !matchFilter(filter.of, member, now)
    case 'tag':
      return member.tags.includes(filter.tag)
    case 'users':
      return filter.userIds.some((userId) => member.userIds.includes(userId))
    case 'attribute':
      return compareAttribute(filter, member.attributes, now)
    case 'event':
      return isCount(filter.count, countEvents(filter, member, now))
    case 'field':
      return compare(filter.comparison, member.facts[filter.field], now)
    default:
      return unreachable(filter)
  }
}

function countEvents({ event, withinDays, where }: EventCondition, { events }: Member, now: number): number {
  const since = withinDays === null ? Number.NEGATIVE_INFINITY : now - withinDays * DAY_MS
  return events.filter(
    ({ name, at, attributes }) =>
      name === event &&
      at > since &&
      where.every((condition) => compareAttribute(condition, attributes, now)),
  ).length
}

const DAY_MS = 24 * 60 * 60 * 1000
