import { USER_LIST_LIMITS, type UserSort } from '../../rules/people.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { prefixSql } from '../folded-text.ts'
import { readPage } from '../page.ts'
import type { ProfileFacts } from './person.ts'
import { estimateSql, populationSql, type UserCount } from './user-candidates.ts'
import { foundInOrderSql, isNarrowWhole, readsEvents, type UserQuery, userSql } from './user-conditions.ts'

/** A person as a list shows them. */
export type ListedUser = ProfileFacts & {
  readonly id: bigint
  /** The identifier by which the person was found, without case; null without a search. */
  readonly folded: string | null
  readonly names: readonly { readonly kind: string; readonly value: string }[]
  readonly eventCount: bigint
  readonly ltv: string
  readonly firstEventAt: number | null
  readonly lastEventAt: number | null
  /** Of the live devices. */
  readonly platforms: readonly string[]
}

/** A position in a list: a person, and the identifier if the list is sorted by it. */
export type UserMark = { readonly id: bigint; readonly folded: string | null }

export type UserPageQuery = UserQuery & {
  readonly sort: UserSort
  /** The people of `findCandidates`; null if they were not looked for. */
  readonly candidates: readonly bigint[] | null
  readonly after: UserMark | null
  readonly limit: number
}

/** `next` is null after the last page. A page may have fewer people than asked for, and still a next one. */
export type UserPage = { readonly rows: readonly ListedUser[]; readonly next: UserMark | null }

/** Whether the indexes answer the whole question, so that nobody has to be looked at and passed over. */
export function isIndexed({
  search,
  filter,
  sort,
}: Pick<UserPageQuery, 'search' | 'filter' | 'sort'>): boolean {
  return filter === null && (search === null || sort === 'identifier')
}

/** The first page of such a list with the number of people in it. Run it as a walk (`asWalk`). */
export async function listFirstUsers(
  tx: Db,
  query: UserPageQuery,
): Promise<UserPage & { readonly counted: UserCount }> {
  const { search, sort, limit } = query
  const binds = new Binds()
  const walk = sort === 'identifier' ? walkByIdentifier(query, limit, binds) : walkById(query, binds)
  const counts = `(select count from population) as population, case when (select count from population) > ${USER_LIST_LIMITS.countMax}
    then (${estimateSql(query, binds)}) end as estimate`
  const page = await readPage<FirstUser>(tx, {
    name: FIRST_USERS[sort][search === null ? 'all' : 'found'],
    text: `with population as materialized (${populationSql(query, binds)})
      select ${COLUMNS}, ${counts} ${fromWalked(`${walk} limit ${binds.add(limit)}`)} order by ${ORDERS[sort]}`,
    values: binds.values,
    limit,
    kind: 'profiles',
  })
  const { population = 0, estimate = null } = page.rows[0] ?? {}
  const counted = { count: estimate ?? population, isEstimated: estimate !== null }
  return { rows: page.rows, next: page.hasMore ? (page.rows.at(-1) ?? null) : null, counted }
}

/** Whether the first page and the count of a list have to check no more than these candidates. */
export function areFew({ filter, sort, after, candidates }: UserPageQuery): boolean {
  return after === null && sort !== 'identifier' && (candidates?.length ?? Infinity) <= checkedMaxOf(filter)
}

/**
 * The first page of a list with few candidates, each of whom is checked once, if it has to be. Run it as a walk
 * (`asWalk`).
 */
export async function listFewUsers(
  tx: Db,
  query: UserPageQuery,
): Promise<UserPage & { readonly counted: UserCount }> {
  const { sort, limit } = query
  const binds = new Binds()
  const walk = walkById(query, binds)
  const isUnchecked = isNarrowWhole(query)
  const matched = isUnchecked ? walk : `select walked.* ${fromWalked(walk)} where ${userSql(query, binds)}`
  const shown = `select * from matched as walked order by ${ORDERS[sort]} limit ${binds.add(limit)}`
  const page = await readPage<ListedUser & { readonly count: number }>(tx, {
    ...(isUnchecked && { name: FEW_USERS[sort] }),
    text: `with matched as materialized (${matched})
      select ${COLUMNS}, (select count(*) from matched)::integer as count
      ${fromWalked(shown)} order by ${ORDERS[sort]}`,
    values: binds.values,
    limit,
    kind: 'profiles',
  })
  const counted = { count: page.rows[0]?.count ?? 0, isEstimated: false }
  return { rows: page.rows, next: page.hasMore ? (page.rows.at(-1) ?? null) : null, counted }
}

type FirstUser = ListedUser & { readonly population: number; readonly estimate: number | null }

/**
 * A page of people. Conditions that no index answers are checked person by person in the order of the list, and a page
 * ends after a limited number of them. Run it as a walk (`asWalk`).
 */
export async function listUsers(tx: Db, query: UserPageQuery): Promise<UserPage> {
  const { limit, filter } = query
  const checkedMax = checkedMaxOf(filter)
  const binds = new Binds()
  const walk =
    query.sort === 'identifier' ? walkByIdentifier(query, checkedMax, binds) : walkById(query, binds)
  const checked = `${walk} limit ${binds.add(checkedMax)}`
  const checkedValues = [...binds.values]
  const people = { ...query, search: query.sort === 'identifier' ? null : query.search }
  const order = ORDERS[query.sort]
  const text = `select ${COLUMNS} ${fromWalked(checked)}
     where ${userSql(people, binds)} order by ${order} limit ${binds.add(limit)}`
  const page = await readPage<ListedUser>(tx, { text, values: binds.values, limit, kind: 'profiles' })
  const last = page.rows.at(-1)
  if (page.hasMore && last !== undefined) return { rows: page.rows, next: last }
  if (isWhole(query, checkedMax)) return { rows: page.rows, next: null }
  const { rows: ends } = await tx.query<UserMark & { readonly walked: number }>(
    `select id, folded, count(*) over ()::integer as walked from (${checked}) as walked
     order by ${REVERSED[query.sort]} limit 1`,
    checkedValues,
  )
  const [end] = ends
  return { rows: page.rows, next: end !== undefined && end.walked >= checkedMax ? end : null }
}

function checkedMaxOf(filter: UserQuery['filter']): number {
  return readsEvents(filter) ? USER_LIST_LIMITS.checkedByEventsMax : USER_LIST_LIMITS.checkedMax
}

/**
 * The people of a walk, looked up one by one. A join in the planner's order would read all people for each of them where
 * the statistics do not know the brand yet.
 */
function fromWalked(walk: string): string {
  return `from (${walk}) as walked
     cross join lateral (select * from profiles where brand_id = walked.brand_id and id = walked.id offset 0) as p
     left join lateral (
       select * from profile_activity where brand_id = p.brand_id and profile_id = p.id offset 0
     ) as a on true`
}

/** Whether a page that is not full is the last one: nobody was passed over, or all candidates were checked. */
function isWhole(query: UserPageQuery, checkedMax: number): boolean {
  const { candidates } = query
  return (candidates !== null && candidates.length < checkedMax) || isIndexed(query)
}

/** The names of the statements of first pages. A name stands for one text, and the text differs by these two. */
const FIRST_USERS = {
  newest: { all: 'first_users_newest', found: 'first_users_newest_found' },
  oldest: { all: 'first_users_oldest', found: 'first_users_oldest_found' },
  identifier: { all: 'first_users_identifier', found: 'first_users_identifier_found' },
} as const satisfies Record<UserSort, object>

/** The same for few people who need no check: the text differs by the order alone. */
const FEW_USERS = {
  newest: 'few_users_newest',
  oldest: 'few_users_oldest',
  identifier: 'few_users_identifier',
} as const satisfies Record<UserSort, string>

const ORDERS = {
  newest: 'walked.id desc',
  oldest: 'walked.id',
  identifier: 'walked.folded, walked.id',
} as const satisfies Record<UserSort, string>

const REVERSED = {
  newest: 'id',
  oldest: 'id desc',
  identifier: 'folded desc, id desc',
} as const satisfies Record<UserSort, string>

/** Ids rise with time. */
function walkById({ brandId, sort, after, candidates }: UserPageQuery, binds: Binds): string {
  const sign = sort === 'newest' ? '<' : '>'
  const from = after === null ? '' : ` and w.id ${sign} ${binds.add(after.id)}::bigint`
  const among = candidates === null ? '' : ` and w.id = any(${binds.add(candidates)}::bigint[])`
  return `select w.brand_id, w.id, null::text as folded from profiles as w
    where w.brand_id = ${binds.add(brandId)}${from}${among} order by w.id${sort === 'newest' ? ' desc' : ''}`
}

function walkByIdentifier(
  { brandId, search, after }: UserPageQuery,
  checkedMax: number,
  binds: Binds,
): string {
  const brand = binds.add(brandId)
  const prefix = prefixSql(search ?? '', binds)
  const mark =
    after === null
      ? null
      : `(${binds.add(after.folded ?? '')}::text collate "C", ${binds.add(after.id)}::bigint)`
  const found = foundInOrderSql({ brand, prefix, after: mark, most: binds.add(checkedMax) })
  return `select ${brand}::integer as brand_id, found.profile_id as id, found.folded from (${found}) as found
    order by found.folded, found.profile_id`
}

/**
 * The few rows of a person are looked up by the person. `offset 0`, and naming the states that are not live, keep the
 * planner from walking along an index of everybody, which it may do where it has no statistics yet.
 */
const COLUMNS = `p.id, walked.folded, p.email, p.mobile, p.attributes, p.tags, p.created_at as "createdAt",
  p.updated_at as "updatedAt", coalesce(a.event_count, 0) as "eventCount", coalesce(a.ltv, 0) as ltv,
  a.first_event_at as "firstEventAt", a.last_event_at as "lastEventAt",
  (select coalesce(jsonb_agg(jsonb_build_object('kind', i.kind, 'value', i.value) order by i.kind desc, i.value), '[]')
    from (select kind, value from profile_identities
      where brand_id = p.brand_id and profile_id = p.id offset 0) as i) as names,
  array(select distinct s.platform from (select platform from subscriptions
      where brand_id = p.brand_id and profile_id = p.id and state not in ('unsubscribed', 'gone') offset 0) as s order by s.platform) as platforms`
