import type { Filter } from '../domain/segment.ts'
import { unreachable } from '../domain/unreachable.ts'
import type { Binds } from './bind.ts'

/** Where a condition is used: `brand` is the place of the brand's id among the values. */
export type SegmentScope = { readonly brand: string; readonly binds: Binds }

/**
 * The condition that a live subscription `s` belongs to a segment: what `matchFilter` says, in SQL. It is never null,
 * so that `not` turns it round. Tags and users are looked up from their own end, through an index, so that a small
 * segment does not cost a walk over everybody. Run it as the engine: row-level security would keep it from the
 * indexes (decision 0003).
 */
export function segmentSql(filter: Filter, scope: SegmentScope): string {
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
    default:
      return unreachable(filter)
  }
}

/** A subscription carries its own tags and those of its person. */
export function tagSql(tag: string, { brand, binds }: SegmentScope): string {
  const tags = binds.add([tag])
  return `s.id in (
    select t.id from subscriptions as t where t.brand_id = ${brand} and t.tags @> ${tags} and t.state = 'live'
    union all
    select t.id from profiles as p join subscriptions as t on t.brand_id = p.brand_id and t.profile_id = p.id
    where p.brand_id = ${brand} and p.tags @> ${tags} and p.tags <> '{}')`
}

function groupSql(filters: readonly Filter[], word: 'and' | 'or', scope: SegmentScope): string {
  return `(${filters.map((filter) => segmentSql(filter, scope)).join(` ${word} `)})`
}

function usersSql(userIds: readonly string[], { brand, binds }: SegmentScope): string {
  return `s.id in (
    select t.id from profile_identities as i
    join subscriptions as t on t.brand_id = i.brand_id and t.profile_id = i.profile_id
    where i.brand_id = ${brand} and i.kind = 'user_id' and i.value = any(${binds.add(userIds)}))`
}
