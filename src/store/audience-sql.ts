import type { Filter } from '../domain/segment.ts'
import { unreachable } from '../domain/unreachable.ts'
import type { Platform } from '../rules/platforms.ts'
import type { Binds } from './bind.ts'

/** Who a notification is for, before anybody is looked up. */
export type AudienceQuery = {
  readonly brandId: number
  readonly platform: Platform
  readonly tag: string | null
  /** The segment's; null for everybody. */
  readonly filter: Filter | null
}

/**
 * The condition that a live subscription `s` belongs to an audience. Tags and users are looked up from their own
 * end, through an index, so that a small audience does not cost a walk over everybody. Run it as the engine:
 * row-level security would keep it from the index over tags (decision 0003).
 */
export function audienceSql(query: AudienceQuery, binds: Binds): string {
  const brand = binds.add(query.brandId)
  const scope = { brand, binds }
  const parts = [
    `s.brand_id = ${brand}`,
    `s.platform = ${binds.add(query.platform)}`,
    `s.state = 'live'`,
    ...(query.tag === null ? [] : [tagSql(query.tag, scope)]),
    ...(query.filter === null ? [] : [filterSql(query.filter, scope)]),
  ]
  return parts.join(' and ')
}

type Scope = { readonly brand: string; readonly binds: Binds }

function filterSql(filter: Filter, scope: Scope): string {
  switch (filter.kind) {
    case 'all':
      return groupSql(filter.of, 'and', scope)
    case 'any':
      return groupSql(filter.of, 'or', scope)
    case 'not':
      return `not ${filterSql(filter.of, scope)}`
    case 'tag':
      return tagSql(filter.tag, scope)
    case 'users':
      return usersSql(filter.userIds, scope)
    default:
      return unreachable(filter)
  }
}

function groupSql(filters: readonly Filter[], word: 'and' | 'or', scope: Scope): string {
  return `(${filters.map((filter) => filterSql(filter, scope)).join(` ${word} `)})`
}

/** A subscription carries its own tags and those of its person. */
function tagSql(tag: string, { brand, binds }: Scope): string {
  const tags = binds.add([tag])
  return `s.id in (
    select t.id from subscriptions as t where t.brand_id = ${brand} and t.tags @> ${tags} and t.state = 'live'
    union all
    select t.id from profiles as p join subscriptions as t on t.brand_id = p.brand_id and t.profile_id = p.id
    where p.brand_id = ${brand} and p.tags @> ${tags})`
}

function usersSql(userIds: readonly string[], { brand, binds }: Scope): string {
  return `s.id in (
    select t.id from profile_identities as i
    join subscriptions as t on t.brand_id = i.brand_id and t.profile_id = i.profile_id
    where i.brand_id = ${brand} and i.kind = 'user_id' and i.value = any(${binds.add(userIds)}))`
}
