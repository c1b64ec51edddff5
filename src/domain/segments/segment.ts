import type { SegmentCount, SegmentFact } from '../../rules/segments.ts'
import { unreachable } from '../unreachable.ts'
import type { JsonObject } from '../values/json.ts'
import { type Comparison, compare, compareAttribute } from './comparison.ts'

/** Who belongs to a segment, as a tree of conditions. */
export type Filter = Tree<Condition>

/**
 * A filter in the form a caller writes it, which may refer to other segments. It is stored in that form;
 * `segment-filter.ts` reads it, and `segment-references.ts` puts the other segments in.
 */
export type WrittenFilter = Tree<Condition | Reference>

export type Tree<Leaf> =
  | { readonly kind: 'all'; readonly of: readonly Tree<Leaf>[] }
  | { readonly kind: 'any'; readonly of: readonly Tree<Leaf>[] }
  | { readonly kind: 'not'; readonly of: Tree<Leaf> }
  | Leaf

export type Condition =
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'users'; readonly userIds: readonly string[] }
  | AttributeCondition
  | EventCondition
  | { readonly kind: 'field'; readonly field: SegmentFact; readonly comparison: Comparison }

export type AttributeCondition = {
  readonly kind: 'attribute'
  readonly attribute: string
  readonly comparison: Comparison
}

/** How often an event was done, of late or ever, counting only those whose own attributes compare as asked. */
export type EventCondition = {
  readonly kind: 'event'
  readonly event: string
  readonly count: { readonly is: SegmentCount; readonly value: number }
  readonly withinDays: number | null
  readonly where: readonly AttributeCondition[]
}

export type Reference = { readonly kind: 'segment'; readonly id: bigint }

/** What a filter looks at: a subscription together with the person it belongs to, if it belongs to one. */
export type Member = {
  /** A merged person has several; a subscription that nobody logged in to has none. */
  readonly userIds: readonly string[]
  /** Those of the subscription and those of the person. */
  readonly tags: readonly string[]
  /** The person's, as JSON. */
  readonly attributes: JsonObject
  readonly events: readonly MemberEvent[]
  /** What is not known is absent. Instants are texts with an offset. */
  readonly facts: Partial<Readonly<Record<SegmentFact, string | number>>>
}

export type MemberEvent = { readonly name: string; readonly at: number; readonly attributes: JsonObject }

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

/** The conditions that all must hold, however deep they lie. */
export function conjunctsOf(filter: Filter): readonly Filter[] {
  if (filter.kind === 'all') return filter.of.flatMap(conjunctsOf)
  const [only, ...others] = filter.kind === 'any' ? filter.of : []
  return only !== undefined && others.length === 0 ? conjunctsOf(only) : [filter]
}

/** Whether a count is as asked. SQL asks it of zero, since who did nothing has no row. */
export function isCount({ is, value }: EventCondition['count'], count: number): boolean {
  switch (is) {
    case 'eq':
      return count === value
    case 'gt':
      return count > value
    case 'gte':
      return count >= value
    case 'lt':
      return count < value
    case 'lte':
      return count <= value
    default:
      return unreachable(is)
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
