import { flawOf } from '../../domain/values/text.ts'
import { TAG_SORTS } from '../../rules/catalogue.ts'
import { listTags, type TagMark } from '../../store/catalogue/tags.ts'
import type { Deps } from '../deps.ts'
import { nextCursor, PAGE_FIELDS, parsePage } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { PREFIX } from './catalogue.ts'
import { renderListed } from './view.ts'

/** GET /api/v1/catalogue/tags */
export async function readTags({ database }: Deps, { caller, query }: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(TAG_QUERY, query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const { prefix = '', sort = 'count' } = value
  const asked = parsePage(value, (text) => parseMark(text, sort))
  if (!asked.ok) return refuse(asked.rejection)
  const { brandId } = caller
  const page = await database.asBrand(brandId, async (tx) =>
    listTags(tx, { brandId, prefix, sort, ...asked.value }),
  )
  const fields = {
    tags: page.rows.map(renderListed),
    estimated: false,
    next_cursor: nextCursor(page, (row) => (sort === 'name' ? row.value : `${row.count} ${row.value}`)),
  }
  return replySuccess(fields, { processed: page.rows.length, warnings })
}

/** A cursor of the other order means nothing here, unless its tag happens to begin with a number. */
function parseMark(text: string, sort: TagMark['sort']): TagMark | null {
  if (flawOf(text) !== null) return null
  if (sort === 'name') return { sort, tag: text }
  const found = /^(?<count>\d{1,18}) (?<tag>.*)$/su.exec(text)
  const { count, tag } = found?.groups ?? {}
  return count === undefined || tag === undefined ? null : { sort, count: BigInt(count), tag }
}

export const TAG_QUERY = Type.Object({
  ...PREFIX,
  sort: Type.Optional(
    Type.Enum([...TAG_SORTS], {
      default: 'count',
      description: 'By name, or the most frequent first.',
    }),
  ),
  ...PAGE_FIELDS,
})
