import { accept, type Result } from '../../domain/result.ts'
import { parseFilter } from '../../domain/segments/filter.ts'
import type { Filter, WrittenFilter } from '../../domain/segments/segment.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import type { Warning } from '../../domain/warning.ts'
import { prepareFilter } from '../../intake/segments/size.ts'
import { USER_LIST_LIMITS, USER_SORTS, type UserSort } from '../../rules/people.ts'
import { countUsers, findCandidates, type UserCount } from '../../store/people/user-candidates.ts'
import {
  areFew,
  isIndexed,
  listFewUsers,
  listFirstUsers,
  listUsers,
  type UserMark,
  type UserPage,
  type UserPageQuery,
} from '../../store/people/users.ts'
import type { Deps } from '../deps.ts'
import { formatCursor, PAGE_FIELDS, parsePage } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { documentRef } from '../schema/document.ts'
import { parseBody, parseQuery, type Static, Type } from '../schema/schema.ts'
import { nameWarnings } from '../segments/warnings.ts'
import { renderUser } from './user-view.ts'

/** GET /api/v1/users */
export async function listAllUsers(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(USER_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  return replyUsers(deps, request, { asked: value, filter: null, warnings })
}

/** POST /api/v1/users/search */
export async function searchUsers(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(USER_SEARCH, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const { filter: given, ...asked } = value
  const written = (given ?? null) === null ? accept(null) : parseFilter(given, 'filter')
  if (!written.ok) return refuse(written.rejection)
  const [filter, named] = await Promise.all([
    filterOf(deps, request, written.value),
    warningsOn(deps, request, written.value),
  ])
  if (!filter.ok) return refuse(filter.rejection)
  return replyUsers(deps, request, { asked, filter: filter.value, warnings: [...warnings, ...named] })
}

type AskedUsers = {
  readonly asked: Static<typeof USER_QUERY>
  readonly filter: Filter | null
  readonly warnings: readonly Warning[]
}

/** A search is sorted by what it found, if the caller does not ask for another order. */
async function replyUsers(deps: Deps, request: TenantRequest, given: AskedUsers): Promise<Reply> {
  const { asked, filter, warnings } = given
  const search = asked.search === undefined || asked.search === '' ? null : asked.search
  const sort = sortOf(search, asked.sort)
  const page = parsePage(asked, (text) => parseUserMark(text, sort))
  if (!page.ok) return refuse(page.rejection)

  const { after, limit } = page.value
  const query = { brandId: request.caller.brandId, search, filter, now: deps.clock.now() }
  const { counted, ...users } = await loadUsers(deps, { ...query, sort, candidates: null, after, limit })
  const fields = {
    users: users.rows.map(renderUser),
    count: counted?.count ?? null,
    estimated: counted?.isEstimated ?? null,
    next_cursor: users.next === null ? null : formatCursor(formatUserMark(users.next)),
  }
  return replySuccess(fields, { processed: users.rows.length, warnings })
}

/** The first page comes with the number of people on all pages. */
async function loadUsers(
  { database }: Deps,
  query: UserPageQuery,
): Promise<UserPage & { readonly counted: UserCount | null }> {
  const { sort, after, filter } = query
  if (isIndexed(query) && after === null) {
    return database.asWalk(async (tx) => listFirstUsers(tx, query))
  }
  const isWalked = sort === 'identifier' && (after !== null || filter === null)
  const candidates = isWalked ? null : await findCandidates(database, query)
  const found = { ...query, candidates }
  return database.asWalk(async (tx) => {
    if (areFew(found)) return listFewUsers(tx, found)
    const counted = after === null ? await countUsers(tx, query, candidates) : null
    return { ...(await listUsers(tx, found)), counted }
  })
}

/** Without a search there is no identifier to sort by. */
function sortOf(search: string | null, asked: UserSort | undefined): UserSort {
  if (search === null) return asked === 'oldest' ? 'oldest' : 'newest'
  return asked ?? 'identifier'
}

function formatUserMark({ id, folded }: UserMark): string {
  return folded === null ? String(id) : `${id} ${folded}`
}

function parseUserMark(text: string, sort: UserSort): UserMark | null {
  const [, digits = '', folded = null] = /^(\d{1,19})(?: (.+))?$/su.exec(text) ?? []
  const id = parseInt64(digits)
  if (id === null || (sort === 'identifier') !== (folded !== null) || text.includes('\0')) return null
  return { id, folded }
}

async function filterOf(
  deps: Deps,
  { caller: { brandId } }: TenantRequest,
  filter: WrittenFilter | null,
): Promise<Result<Filter | null>> {
  return filter === null ? accept(null) : prepareFilter(deps, { brandId, filter, self: null })
}

async function warningsOn(
  deps: Deps,
  { caller: { brandId } }: TenantRequest,
  filter: WrittenFilter | null,
): Promise<readonly Warning[]> {
  return filter === null ? [] : nameWarnings(deps, brandId, filter)
}

export const USER_QUERY = Type.Object({
  search: Type.Optional(
    Type.String({
      maxLength: USER_LIST_LIMITS.searchCharsMax,
      description: 'The first letters of a user id, an email, a mobile number or a visitor id, in any case.',
    }),
  ),
  sort: Type.Optional(
    Type.Enum([...USER_SORTS], {
      description: 'By creation or, which is usual for a search, by the identifier that was found.',
    }),
  ),
  ...PAGE_FIELDS,
  cursor: Type.Optional(
    Type.String({
      maxLength: USER_LIST_LIMITS.cursorCharsMax,
      description: 'The next_cursor of the previous page.',
    }),
  ),
})

const USER_SEARCH = Type.Object({ ...USER_QUERY.properties, filter: Type.Optional(Type.Unknown()) })

/** The same body as documents describe it. */
export const USER_SEARCH_BODY = Type.Object({
  ...USER_QUERY.properties,
  filter: Type.Optional(Type.Unsafe<object>(documentRef('SegmentFilter'))),
})
