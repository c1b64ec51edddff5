import type { Comparison } from '../../domain/segments/comparison.ts'
import {
  type AttributeCondition,
  conjunctsOf,
  type EventCondition,
  type Filter,
  isCount,
} from '../../domain/segments/segment.ts'
import { unreachable } from '../../domain/unreachable.ts'
import type { SegmentFact } from '../../rules/segments.ts'
import { anyEvents, type EventNeed, needing } from '../event-needs.ts'
import { attributeSql, personAttributeSql } from './attribute-sql.ts'
import { comparisonSql, type SegmentScope, shareSql } from './comparison-sql.ts'

/**
 * The condition that a live subscription `s` belongs to a segment. It is never null, so that `not` inverts it. For
 * everybody, the search begins at tags, users and events, through their indexes, so that a small segment does not cost
 * a walk over all subscriptions; for a few, such as those of one chunk, each is looked up. Run it as the engine:
 * row-level security would keep it from the indexes (decision 0003).
 */
export function segmentSql(filter: Filter, scope: SegmentScope): string {
  const parts = conjunctsOf(filter)
  if (parts.length > 1 && scope.reach === 'everybody') return everyoneSql(parts, scope)
  switch (filter.kind) {
    case 'all':
      return groupSql(filter.of, 'and', scope)
    case 'any':
      return groupSql(filter.of, 'or', scope)
    case 'not':
      return `not ${segmentSql(filter.of, scope)}`
    case 'tag':
      return tagSql(filter.tag, scope)
    case 'users':
      return usersSql(filter.userIds, scope)
    case 'attribute':
      return ofPersonSql({ table: 'profiles', scope }, filter.comparison, (comparison) =>
        personAttributeSql({ ...filter, comparison }, scope),
      )
    case 'event':
      return eventSql(filter, scope)
    case 'field':
      return fieldSql(filter.field, filter.comparison, scope)
    default:
      return unreachable(filter)
  }
}

/** A subscription has its own tags and those of its person. */
function tagSql(tag: string, scope: SegmentScope): string {
  const { brand, binds, reach, share } = scope
  const tags = binds.add([tag])
  if (reach === 'few') {
    // Few people have tags, and only those are in the index: it may be read once, instead of once for each person.
    return `(s.tags @> ${tags} or exists (select from profiles as p
      where p.brand_id = ${brand} and p.id = s.profile_id and p.tags @> ${tags} and p.tags <> '{}'))`
  }
  return `s.id in (select u.id from subscriptions as u where u.brand_id = ${brand} and u.id = any(array(
    select t.id from subscriptions as t
    where t.brand_id = ${brand} and t.tags @> ${tags} and t.state = 'live'${shareSql(share, 'coalesce(t.profile_id, t.id)')}
    union all
    select t.id from profiles as p join subscriptions as t on t.brand_id = p.brand_id and t.profile_id = p.id
    where p.brand_id = ${brand} and p.tags @> ${tags} and p.tags <> '{}'${shareSql(share, 'p.id')})))`
}

function groupSql(filters: readonly Filter[], word: 'and' | 'or', scope: SegmentScope): string {
  return `(${filters.map((filter) => segmentSql(filter, scope)).join(` ${word} `)})`
}

/**
 * Several conditions that must all be true. The one that the fewest meet comes first, and an index answers it: users
 * by id, then people who did an event, then tags. Only that one passes an array of ids to an index of `s`, and nothing
 * is joined to `s` before it: PostgreSQL would search the whole array for each row.
 */
function everyoneSql(filters: readonly Filter[], scope: SegmentScope): string {
  const few = { ...scope, reach: 'few' } as const
  const listed = filters.find((filter) => filter.kind === 'users')
  if (listed !== undefined) {
    return `(${usersSql(listed.userIds, scope)}${andSql(without(filters, listed), few)})`
  }
  const done = filters.find((filter) => filter.kind === 'event' && !isCount(filter.count, 0))
  if (done?.kind === 'event') return doersSql(done, without(filters, done), scope)
  const tagged = filters.find((filter) => filter.kind === 'tag')
  if (tagged === undefined) return groupSql(filters, 'and', scope)
  const others = without(filters, tagged)
  const joined = others.filter(({ kind }) => kind === 'tag' || kind === 'attribute' || kind === 'field')
  const rest = others.filter((filter) => !joined.includes(filter))
  return `(${tagSql(tagged.tag, scope)}${andSql(joined, few)}${andSql(rest, scope)})`
}

function without(filters: readonly Filter[], one: Filter): readonly Filter[] {
  return filters.filter((filter) => filter !== one)
}

/** The other conditions. */
function andSql(filters: readonly Filter[], scope: SegmentScope): string {
  return filters.map((filter) => ` and ${segmentSql(filter, scope)}`).join('')
}

/**
 * Begins with the people who did the event, keeps those with the right attributes, and looks up their devices. Each
 * step passes an array to the next, because one walk along an index finds all of its ids.
 */
function doersSql(condition: EventCondition, others: readonly Filter[], scope: SegmentScope): string {
  const attributes = others.filter((filter) => filter.kind === 'attribute')
  const rest = others.filter((filter) => filter.kind !== 'attribute')
  const people = suchPeopleSql(attributes, countedSql(condition, scope), scope)
  return `s.id in (select s.id from subscriptions as s where s.brand_id = ${scope.brand} and s.state = 'live'
    and s.profile_id = any(array(${people}))${andSql(rest, { ...scope, reach: 'few' })})`
}

/** The people among these whose attributes meet the conditions. */
function suchPeopleSql(
  attributes: readonly AttributeCondition[],
  people: string,
  scope: SegmentScope,
): string {
  if (attributes.length === 0) return people
  const conditions = attributes.map((condition) => personAttributeSql(condition, scope))
  return `select x.id from profiles as x
    where x.brand_id = ${scope.brand} and x.id = any(array(${people})) and ${conditions.join(' and ')}`
}

function usersSql(userIds: readonly string[], { brand, binds, reach }: SegmentScope): string {
  if (reach === 'few') {
    return `exists (select from profile_identities as i where i.brand_id = ${brand} and i.profile_id = s.profile_id
      and i.kind = 'user_id' and i.value = any(${binds.add(userIds)}))`
  }
  return `s.id in (
    select t.id from profile_identities as i
    join subscriptions as t on t.brand_id = i.brand_id and t.profile_id = i.profile_id
    where i.brand_id = ${brand} and i.kind = 'user_id' and i.value = any(${binds.add(userIds)}))`
}

/** The rows about a person, and the column with their id. A person without events is worth 0, and was seen when made. */
const PERSON = {
  profiles: { id: 'id', sql: 'profiles' },
  activity: {
    id: 'profile_id',
    sql: `(select p.brand_id, p.id as profile_id, coalesce(a.ltv, 0) as ltv,
        coalesce(a.last_event_at, p.created_at) as last_seen_at
      from profiles as p left join profile_activity as a on a.brand_id = p.brand_id and a.profile_id = p.id)`,
  },
} as const

/** A condition about the person. A device without a person matches `missing` conditions. */
function ofPersonSql(
  { table, scope }: { readonly table: keyof typeof PERSON; readonly scope: SegmentScope },
  comparison: Comparison,
  conditionSql: (comparison: Comparison) => string,
): string {
  const isMissing = comparison.kind === 'presence' && comparison.is === 'missing'
  const asked = isMissing ? ({ kind: 'presence', is: 'exists' } as const) : comparison
  const { sql } = PERSON[table]
  const id = `x.${PERSON[table].id}`
  const ofPerson = `x.brand_id = s.brand_id and ${id} = s.profile_id`
  const condition = conditionSql(asked)
  // A scalar subquery is looked up row by row; the planner may turn `exists` into a walk over all profiles.
  if (scope.reach === 'few')
    return `${isMissing ? 'not ' : ''}coalesce((select ${condition} from ${sql} as x where ${ofPerson}), false)`
  const shared = `${ofPerson}${shareSql(scope.share, id)}`
  return `${isMissing ? 'not ' : ''}exists (select from ${sql} as x where ${shared} and ${condition})`
}

function fieldSql(field: SegmentFact, comparison: Comparison, scope: SegmentScope): string {
  switch (field) {
    case 'platform':
    case 'language':
    case 'time_zone':
    case 'browser':
    case 'app_version':
      return `coalesce(${comparisonSql(comparison, { kind: 'json', sql: `to_jsonb(s.${field})` }, scope)}, false)`
    case 'created_at':
      return ofPersonSql({ table: 'profiles', scope }, comparison, (asked) =>
        comparisonSql(asked, { kind: 'instant', sql: 'x.created_at' }, scope),
      )
    case 'last_seen':
      return ofPersonSql({ table: 'activity', scope }, comparison, (asked) =>
        comparisonSql(asked, { kind: 'instant', sql: 'x.last_seen_at' }, scope),
      )
    case 'ltv':
      return ofPersonSql({ table: 'activity', scope }, comparison, (asked) =>
        comparisonSql(asked, { kind: 'number', sql: 'x.ltv' }, scope),
      )
    default:
      return unreachable(field)
  }
}

const SIGNS = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** A person who did nothing has no row. So when a count of zero matches, people with another count are excluded. */
function eventSql(condition: EventCondition, scope: SegmentScope): string {
  if (scope.reach === 'few')
    return `coalesce((${ownDoingsSql(condition, scope)}), 0) ${wantedSql(condition, scope)}`
  if (!isCount(condition.count, 0)) return doersSql(condition, [], scope)
  // Materialised, because parallel workers of one query would each count for themselves.
  const people = `with counted as materialized (${countedSql(condition, scope)}) select profile_id from counted`
  return `not (s.profile_id is not null and s.profile_id in (${people}))`
}

/**
 * The people whose count of the event matches; when a count of zero matches, the people whose count does not. Events
 * are sorted before they are counted, which takes half the time and a third of the memory of a hash of all people.
 */
function countedSql(condition: EventCondition, scope: SegmentScope): string {
  const { from, brand, named, since, details, times } = doingsSql(condition, scope)
  const where = [brand, named, ...since, ...details].join(' and ')
  const asked = `${where}${shareSql(scope.share, 'x.profile_id')}`
  const isWanted = `${isCount(condition.count, 0) ? 'not ' : ''}(${times} ${wantedSql(condition, scope)})`
  if (from === 'profile_event_counters')
    return `select x.profile_id from ${from} as x where ${asked} and ${isWanted}`
  return `select x.profile_id from (select x.profile_id from ${from} as x where ${asked} order by x.profile_id) as x
    group by x.profile_id having ${isWanted}`
}

function wantedSql({ count }: EventCondition, { binds }: SegmentScope): string {
  return `${SIGNS[count.is]} ${binds.add(count.value)}::integer`
}

/**
 * How often the person of `s` did it. The events of the person are found first: `offset 0` keeps PostgreSQL from reading
 * everybody's events of that name.
 */
function ownDoingsSql(condition: EventCondition, scope: SegmentScope): string {
  const { from, brand, named, since, details, times } = doingsSql(condition, scope)
  const own = [brand, 'x.profile_id = s.profile_id']
  if (from === 'profile_event_counters')
    return `select ${times} from ${from} as x where ${[...own, named].join(' and ')}`
  const theirs = `select * from ${from} as x where ${[...own, ...since].join(' and ')} offset 0`
  return `select ${times} from (${theirs}) as x where ${[named, ...details].join(' and ')}`
}

/** Counts over all time come from the pipeline's counters, which outlive the events; all others from the events. */
function doingsSql(condition: EventCondition, scope: SegmentScope) {
  const { event, withinDays, where } = condition
  const { brand, binds, now } = scope
  const isEver = withinDays === null && where.length === 0
  if (!isEver) needing(binds.values, needOf(condition, scope))
  return {
    from: isEver ? 'profile_event_counters' : 'events',
    times: isEver ? 'x.event_count' : 'count(*)',
    brand: `x.brand_id = ${brand}`,
    named: `x.event_name = ${binds.add(event)}`,
    since:
      withinDays === null
        ? []
        : [`x.event_at > ${now} - ${binds.add(withinDays)}::integer * interval '1 day'`],
    details: where.map((part) => attributeSql(part, scope)),
  } as const
}

/** The events that the condition needs. Without conditions on attributes a few events of each person decide it. */
function needOf({ event, withinDays, where, count }: EventCondition, scope: SegmentScope): EventNeed {
  const { brandId, now, people = null } = scope
  const isBare = where.length === 0
  return {
    ...anyEvents(brandId),
    people,
    names: [event],
    where,
    since: withinDays === null ? null : `${now} - ${withinDays} * interval '1 day'`,
    pick: isBare ? { kind: 'each', limit: enoughOf(count) } : { kind: 'all' },
    isBare,
  }
}

/** The number of events that decides a comparison: two for "at least twice", three for "twice". */
function enoughOf({ is, value }: EventCondition['count']): number {
  return is === 'gte' || is === 'lt' ? value : value + 1
}
