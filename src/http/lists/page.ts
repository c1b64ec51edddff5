import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { LIMITS } from '../../rules/limits.ts'
import type { RowPage } from '../../store/page.ts'
import { type ParsedBody, Type } from '../schema/schema.ts'

/** A cursor may hold a name of 255 characters, of four bytes each, in base64. */
const CURSOR_CHARS_MAX = 1_500

/** The query fields of every list (decisions §6). Spread it into the query schema of a row. */
export const PAGE_FIELDS = {
  cursor: Type.Optional(
    Type.String({ maxLength: CURSOR_CHARS_MAX, description: 'The next_cursor of the previous page.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.pageSizeMax,
      default: LIMITS.pageSizeDefault,
      description: `The most rows in the reply. A page with large rows ends earlier, after ${LIMITS.pageBytesMax / 1024 ** 2} MiB.`,
    }),
  ),
}

/** The query field of a list whose items can be archived. */
export const ARCHIVED_FIELD = {
  archived: Type.Optional(Type.Boolean({ default: false, description: 'True lists only archived ones.' })),
}

export type PageQuery = { readonly cursor?: string; readonly limit?: number }

/** Where a page begins and how long it is. `after` is null for the first page. */
export type PageRequest<Key> = { readonly after: Key | null; readonly limit: number }

/** A query that fits its schema, and the page that it asks for. */
export function parseList<Value extends PageQuery, Key>(
  parsed: Result<ParsedBody<Value>>,
  parseKey: (text: string) => Key | null,
): Result<ParsedBody<Value> & PageRequest<Key>> {
  if (!parsed.ok) return parsed
  const page = parsePage(parsed.value.value, parseKey)
  return page.ok ? accept({ ...parsed.value, ...page.value }) : page
}

/** `parseKey` returns null for a cursor that this list did not give out; such a cursor is refused. */
export function parsePage<Key>(
  { cursor, limit = LIMITS.pageSizeDefault }: PageQuery,
  parseKey: (text: string) => Key | null,
): Result<PageRequest<Key>> {
  if (cursor === undefined) return accept({ after: null, limit })
  const after = parseKey(Buffer.from(cursor, 'base64url').toString())
  if (after === null)
    return reject(fault('field_invalid', 'cursor', { detail: 'it is not a cursor that Beckon returned' }))
  return accept({ after, limit })
}

/** A cursor is opaque to callers, so that its content can change. */
export function formatCursor(key: string): string {
  return Buffer.from(key).toString('base64url')
}

/** A full page has a next one, unless it ended by chance just here; then the next is empty. */
export function nextCursor<Row>({ rows, hasMore }: RowPage<Row>, keyOf: (row: Row) => string): string | null {
  const last = rows.at(-1)
  return last === undefined || !hasMore ? null : formatCursor(keyOf(last))
}
