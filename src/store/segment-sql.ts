import type { AttributeCondition, EventCondition, Filter } from '../domain/segment.ts'
import { isCount } from '../domain/segment.ts'
import type { Comparison } from '../domain/segment-comparison.ts'
import { unreachable } from '../domain/unreachable.ts'
import type { SegmentFact } from '../rules/segment-limits.ts'
import { comparisonSql, type SegmentScope } from './segment-comparison-sql.ts'

/**
 * The condition that a live subscription `s` belongs to a segment: what `matchFilter` says, in SQL. It is never null,
 * so that `not` turns it round. Asked about everybody, tags, users and events are looked up from their own end, through
 * an index, so that a small segment does not cost a walk over all; asked about a few, such as those of one chunk, each is
 * looked up. Run it as the engine: row-level security would keep it from the indexes (decision 0003).
 */
export function segmentSql(filter: Filter, scope: SegmentScope): string {
  switch (filter.kind) {
    case 'all':
      return scope.reach === 'everybody' ? everyoneSql(filter.of, scope) : groupSql(filter.of, 'and', scope)
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
        attributeSql({ ...filter, comparison }, scope),
      )
    case 'event':
      return eventSql(filter, scope)
    case 'field':
      return fieldSql(filter.field, filter.comparison, scope)
    default:
      return unreachable(filter)
  }
}

/** A subscription carries its own tags and those of its person. */
export function tagSql(tag: string, scope: SegmentScope): string {
  const { brand, binds, reach } = scope
  const tags = binds.add([tag])
  if (reach === 'few') {
    return `(s.tags @> ${tags} or exists (select from profiles as p
      where p.brand_id = s.brand_id and p.id = s.profile_id and p.tags @> ${tags}))`
  }
  return `s.id in (
    select t.id from subscriptions as t where t.brand_id = ${brand} and t.tags @> ${tags} and t.state = 'live'
    union all
    select t.id from profiles as p join subscriptions as t on t.brand_id = p.brand_id and t.profile_id = p.id
    where p.brand_id = ${brand} and p.tags @> ${tags} and p.tags <> '{}')`
}

function groupSql(filters: readonly Filter[], word: 'and' | 'or', scope: SegmentScope): string {
  return `(${filters.map((filter) => segmentSql(filter, scope)).join(` ${word} `)})`
}

/**
 * Of several conditions that all must hold, one about events is the dearest: it counts what everybody did. So only the
 * people who meet the others are counted, and whoever remains is few.
 */
function everyoneSql(filters: readonly Filter[], scope: SegmentScope): string {
  const counted = filters.find((filter) => filter.kind === 'event' && !isCount(filter.count, 0))
  const others = filters.filter((filter) => filter !== counted)
  if (counted?.kind !== 'event' || others.length === 0) return groupSql(filters, 'and', scope)
  const { brand } = scope
  const candidates = `select s.profile_id from subscriptions as s
    where s.brand_id = ${brand} and s.state = 'live' and ${others.map((other) => candidateSql(other, scope)).join(' and ')}`
  const few = { ...scope, reach: 'few' } as const
  return `(${eventSql(counted, scope, `and x.profile_id in (${candidates})`)} and ${groupSql(others, 'and', few)})`
}

/** A condition on everybody that is put to each row of one walk over them, not looked up from its own end. */
function candidateSql(filter: Filter, scope: SegmentScope): string {
  if (filter.kind !== 'tag') return segmentSql(filter, scope)
  const { brand, binds } = scope
  const tags = binds.add([filter.tag])
  return `(s.tags @> ${tags} or s.profile_id is not null and s.profile_id in (
    select p.id from profiles as p where p.brand_id = ${brand} and p.tags @> ${tags} and p.tags <> '{}'))`
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

/** The attribute of a row `x`, which is a person or an event. */
function attributeSql({ attribute, comparison }: AttributeCondition, scope: SegmentScope): string {
  return comparisonSql(comparison, { json: `(x.attributes -> ${scope.binds.add(attribute)}::text)` }, scope)
}

const PERSON = { profiles: 'id', profile_activity: 'profile_id' } as const

/** Something of the person. Who is nobody lacks everything, so that what is missing is what is not there. */
function ofPersonSql(
  { table, scope }: { readonly table: keyof typeof PERSON; readonly scope: SegmentScope },
  comparison: Comparison,
  conditionSql: (comparison: Comparison) => string,
): string {
  const isMissing = comparison.kind === 'presence' && comparison.is === 'missing'
  const asked = isMissing ? ({ kind: 'presence', is: 'exists' } as const) : comparison
  const ofPerson = `x.brand_id = s.brand_id and x.${PERSON[table]} = s.profile_id`
  const condition = conditionSql(asked)
  // A value is looked up row by row; what exists may be turned into a walk over all the people there are.
  if (scope.reach === 'few')
    return `${isMissing ? 'not ' : ''}coalesce((select ${condition} from ${table} as x where ${ofPerson}), false)`
  return `${isMissing ? 'not ' : ''}exists (select from ${table} as x where ${ofPerson} and ${condition})`
}

function fieldSql(field: SegmentFact, comparison: Comparison, scope: SegmentScope): string {
  switch (field) {
    case 'platform':
    case 'language':
    case 'time_zone':
    case 'browser':
    case 'app_version':
      return comparisonSql(comparison, { json: `to_jsonb(s.${field})` }, scope)
    case 'created_at':
      return ofPersonSql({ table: 'profiles', scope }, comparison, (asked) =>
        comparisonSql(asked, { instant: 'x.created_at' }, scope),
      )
    case 'last_seen':
      return ofPersonSql({ table: 'profile_activity', scope }, comparison, (asked) =>
        comparisonSql(asked, { instant: 'x.last_event_at' }, scope),
      )
    case 'ltv':
      return ofPersonSql({ table: 'profile_activity', scope }, comparison, (asked) =>
        comparisonSql(asked, { json: 'to_jsonb(x.ltv)' }, scope),
      )
    default:
      return unreachable(field)
  }
}

const SIGNS = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** Who did nothing has no row, so when zero is as asked the others are taken away. */
function eventSql(condition: EventCondition, scope: SegmentScope, among = ''): string {
  const { rows, times } = doingsSql(condition, scope)
  const wanted = `${SIGNS[condition.count.is]} ${scope.binds.add(condition.count.value)}::integer`
  if (scope.reach === 'few') {
    return `coalesce((select ${times} from ${rows} and x.profile_id = s.profile_id), 0) ${wanted}`
  }
  const asked = `${times} ${wanted}`
  const isZeroGood = isCount(condition.count, 0)
  const counted = `select x.profile_id from ${rows} ${among} group by x.profile_id having ${isZeroGood ? 'not ' : ''}(${asked})`
  // Put aside once: several workers of one query would each count for themselves.
  const people = `with counted as materialized (${counted}) select profile_id from counted`
  return `${isZeroGood ? 'not ' : ''}(s.profile_id is not null and s.profile_id in (${people}))`
}

/** How often it was done ever, the pipeline counts, and it outlives the events; the rest is asked of the events. */
function doingsSql({ event, withinDays, where }: EventCondition, scope: SegmentScope) {
  const { brand, binds, now } = scope
  const named = `x.brand_id = ${brand} and x.event_name = ${binds.add(event)}`
  if (withinDays === null && where.length === 0) {
    return { rows: `profile_event_counters as x where ${named}`, times: 'sum(x.event_count)' }
  }
  const since =
    withinDays === null ? [] : [`x.event_at > ${now} - ${binds.add(withinDays)}::integer * interval '1 day'`]
  const conditions = [named, ...since, ...where.map((part) => attributeSql(part, scope))]
  return { rows: `events as x where ${conditions.join(' and ')}`, times: 'count(*)' }
}
