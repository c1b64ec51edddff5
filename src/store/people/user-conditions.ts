import { conjunctsOf, type Filter, isCount } from '../../domain/segments/segment.ts'
import { type Binds, writtenInstant } from '../bind.ts'
import { beginsSql, foldedSql, type PrefixSql, prefixSql } from '../folded-text.ts'
import type { SegmentScope } from '../segments/comparison-sql.ts'
import { segmentSql } from '../segments/sql.ts'

/** The people that a list is about: everybody, those with an identifier that begins so, those that a filter finds. */
export type UserQuery = {
  readonly brandId: number
  readonly search: string | null
  readonly filter: Filter | null
  readonly now: number
}

/** The condition that a profile `p` belongs to the list. Run it as the engine, as every condition of a segment. */
export function userSql(query: UserQuery, binds: Binds): string {
  const { brandId, search, filter, now } = query
  const scope = { brandId, brand: binds.add(brandId), binds, now: writtenInstant(now), reach: 'few' } as const
  const parts = [
    `p.brand_id = ${scope.brand}`,
    ...(search === null ? [] : [foundSql(prefixSql(search, binds))]),
    ...(filter === null ? [] : [filteredSql(filter, scope)]),
  ]
  return parts.join(' and ')
}

function foundSql(prefix: PrefixSql): string {
  return `(exists (select from profile_identities as i
      where i.brand_id = p.brand_id and i.profile_id = p.id and ${beginsSql(OWN_VALUE, prefix)})
    or coalesce(${beginsSql('p.email', prefix)}, false) or coalesce(${beginsSql('p.mobile', prefix)}, false))`
}

/**
 * A filter is about devices; a person is found when one of their live devices is. A person without one counts as a
 * device of which nothing is known.
 */
function filteredSql(filter: Filter, scope: SegmentScope): string {
  const nothing = `null::text as platform, null::text as language, null::text as time_zone, null::text as browser,
    null::text as app_version`
  const nobody = `select p.brand_id, null::bigint as id, p.id as profile_id, '{}'::text[] as tags, ${nothing}`
  const ofDevices = `select d.brand_id, d.id, d.profile_id, d.tags, d.platform, d.language, d.time_zone, d.browser,
      d.app_version
    from subscriptions as d where d.brand_id = ${scope.brand} and d.profile_id = p.id and d.state = 'live'`
  const devices = asksForDevice(filter)
    ? `${ofDevices} union all ${nobody} where not exists (${ofDevices})`
    : nobody
  return `exists (select from (${devices}) as s where ${segmentSql(filter, scope)})`
}

function asksForDevice(filter: Filter): boolean {
  if (filter.kind === 'all' || filter.kind === 'any') return filter.of.some(asksForDevice)
  if (filter.kind === 'not') return asksForDevice(filter.of)
  if (filter.kind === 'field') return !PERSON_FACTS.has(filter.field)
  return filter.kind === 'tag'
}

const PERSON_FACTS: ReadonlySet<string> = new Set(['created_at', 'last_seen', 'ltv'])

/** Whether the condition reads the events of each person, and not only sums. */
export function readsEvents(filter: Filter | null): boolean {
  if (filter === null) return false
  if (filter.kind === 'all' || filter.kind === 'any') return filter.of.some(readsEvents)
  if (filter.kind === 'not') return readsEvents(filter.of)
  return filter.kind === 'event' && (filter.withinDays !== null || filter.where.length > 0)
}

/**
 * A select of the ids of people that an index gives and that includes everybody of the list; null if no index can
 * answer any of the conditions.
 */
export function narrowSql({ brandId, search, filter }: UserQuery, binds: Binds): string | null {
  const brand = binds.add(brandId)
  if (search !== null)
    return `select profile_id from (${matchesSql(brand, prefixSql(search, binds))}) as found`
  for (const part of filter === null ? [] : conjunctsOf(filter)) {
    if (part.kind === 'users') {
      return `select profile_id from profile_identities
        where brand_id = ${brand} and kind = 'user_id' and value = any(${binds.add(part.userIds)})`
    }
    if (part.kind === 'tag') return taggedSql(brand, binds.add([part.tag]))
    if (part.kind === 'event' && !isCount(part.count, 0)) {
      return `select profile_id from profile_event_counters
        where brand_id = ${brand} and event_name = ${binds.add(part.event)}`
    }
  }
  return null
}

/**
 * Whether `narrowSql` gives the people of the list and nobody else, so that they need not be checked: a person has a tag
 * if it is their own or that of a live device.
 */
export function isNarrowWhole({ search, filter }: Pick<UserQuery, 'search' | 'filter'>): boolean {
  if (search !== null || filter === null) return false
  const [first, ...others] = conjunctsOf(filter)
  return first?.kind === 'tag' && others.length === 0
}

function taggedSql(brand: string, tags: string): string {
  return `select id as profile_id from profiles where brand_id = ${brand} and tags @> ${tags} and tags <> '{}'
    union all
    select profile_id from subscriptions
    where brand_id = ${brand} and tags @> ${tags} and state = 'live' and profile_id is not null`
}

/** A select of all identifiers that begin so, each with its person, who is there once for each of them. */
export function matchesSql(brand: string, prefix: PrefixSql): string {
  return IDENTIFIERS.map(
    ({ table, text, id }) => `select x.${id} as profile_id from ${table} as x
      where x.brand_id = ${brand} and x.${text} is not null and ${beginsSql(`x.${text}`, prefix)}`,
  ).join(' union all ')
}

type IdentifierWalk = {
  readonly brand: string
  readonly prefix: PrefixSql
  /** The identifier and the person that the walk begins after; null for the beginning. */
  readonly after: string | null
  readonly most: string
}

/**
 * The people with an identifier that begins so, in the order of these. Each of the three places is read along its index.
 * A person with several such identifiers stands at the first of them: of equal ones at an identity before the email and
 * the mobile, which may be identities too.
 */
export function foundInOrderSql({ brand, prefix, after, most }: IdentifierWalk): string {
  const parts = IDENTIFIERS.map(({ table, text, id }, place) => {
    const folded = foldedSql(`x.${text}`)
    const from = after === null ? '' : ` and (${folded}, x.${id}) > ${after}`
    const others = [
      `exists (select from profile_identities as i where i.brand_id = ${brand} and i.profile_id = x.${id}
        and ${beginsSql(OWN_VALUE, prefix)} and ${place === 0 ? BEFORE_NAME : `${foldedSql(OWN_VALUE)} <= ${folded}`})`,
      ...CONTACTS.map(
        (contact, at) => `exists (select from profiles as o where o.brand_id = ${brand} and o.id = x.${id}
          and ${beginsSql(`(o.${contact} || '')`, prefix)}
          and ${foldedSql(`(o.${contact} || '')`)} ${at + 1 < place ? '<=' : '<'} ${folded})`,
      ),
    ]
    return `(select ${folded} as folded, x.${id} as profile_id from ${table} as x
      where x.brand_id = ${brand} and x.${text} is not null and ${beginsSql(`x.${text}`, prefix)}${from}
        and not ${others.join(' and not ')}
      order by ${folded}, x.${id} limit ${most})`
  })
  return parts.join(' union all ')
}

const CONTACTS = ['email', 'mobile'] as const
const IDENTIFIERS = [
  { table: 'profile_identities', text: 'value', id: 'profile_id' },
  ...CONTACTS.map((text) => ({ table: 'profiles', text, id: 'id' }) as const),
] as const
/** The identifiers of one person are looked up by the person; written so, no index of everybody's identifiers fits. */
const OWN_VALUE = `(i.value || '')`
const BEFORE_NAME = `(${foldedSql(OWN_VALUE)}, i.kind, i.value) < (${foldedSql('x.value')}, x.kind, x.value)`
