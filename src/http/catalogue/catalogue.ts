import { flawOf } from '../../domain/values/text.ts'
import { CATALOGUE_LIMITS, type CatalogueList } from '../../rules/catalogue.ts'
import { listAttributes, listValues } from '../../store/catalogue/attributes.ts'
import { listOfDevices } from '../../store/catalogue/lists.ts'
import type { Deps } from '../deps.ts'
import { formatCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import type { Handler } from '../route.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { renderAttribute, renderListed } from './view.ts'

const { prefixCharsMax, valuesMax, valuesDefault, topValuesMax, topValuesDefault } = CATALOGUE_LIMITS

/** GET /api/v1/catalogue/attributes */
export async function readAttributes({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(ATTRIBUTE_QUERY, request.query), parseName)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, after, limit, warnings } = parsed.value
  const { event_name: eventName = '', prefix = '', values: topValues = topValuesDefault } = value
  const { brandId } = request.caller
  const { rows, isEstimated } = await database.asBrand(brandId, async (tx) =>
    listAttributes(tx, { brandId, eventName, prefix, after: after ?? '', limit, topValues }),
  )
  const last = rows.length < limit ? undefined : rows.at(-1)
  const fields = {
    attributes: rows.map(renderAttribute),
    estimated: isEstimated,
    next_cursor: last === undefined ? null : formatCursor(last.attribute),
  }
  return replySuccess(fields, { processed: rows.length, warnings })
}

/** GET /api/v1/catalogue/attributes/{attribute}/values */
export async function readValues({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(VALUE_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const { event_name: eventName = '', prefix = '', limit = valuesDefault } = value
  const attribute = param(request, 'attribute')
  const { brandId } = request.caller
  // An address may hold anything, and the database takes no NUL.
  if (flawOf(attribute) !== null) return replySuccess({ values: [], estimated: false }, { processed: 0 })
  const { rows, isEstimated } = await database.asBrand(brandId, async (tx) =>
    listValues(tx, { brandId, eventName, attribute, prefix, limit }),
  )
  return replySuccess({ values: rows, estimated: isEstimated }, { processed: rows.length, warnings })
}

/** GET /api/v1/catalogue/languages and the other lists of devices. */
export function listReader(list: CatalogueList): Handler<TenantRequest> {
  return async ({ database }, request) => {
    const parsed = parseQuery(LIST_QUERY, request.query)
    if (!parsed.ok) return refuse(parsed.rejection)
    const { value, warnings } = parsed.value
    const { prefix = '', limit = valuesDefault } = value
    const { brandId } = request.caller
    const { rows, isEstimated } = await database.asBrand(brandId, async (tx) =>
      listOfDevices(tx, { brandId, list, prefix, limit }),
    )
    const fields = { [list]: rows.map(renderListed), estimated: isEstimated }
    return replySuccess(fields, { processed: rows.length, warnings })
  }
}

function parseName(text: string): string | null {
  return flawOf(text) === null ? text : null
}

export const PREFIX = {
  prefix: Type.Optional(
    Type.String({
      maxLength: prefixCharsMax,
      description: 'Only names or values that begin so, in any case.',
    }),
  ),
}

const EVENT_NAME = {
  event_name: Type.Optional(
    Type.String({
      maxLength: 254,
      description: 'The event whose attributes are meant; without it, those of people.',
    }),
  ),
}

const LIMIT = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: valuesMax,
      default: valuesDefault,
      description: 'The most values in the reply; there are no further pages.',
    }),
  ),
}

export const ATTRIBUTE_QUERY = Type.Object({
  ...EVENT_NAME,
  ...PREFIX,
  values: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: topValuesMax,
      default: topValuesDefault,
      description: 'How many of the most frequent values each attribute has in the reply.',
    }),
  ),
  ...PAGE_FIELDS,
})
export const VALUE_QUERY = Type.Object({ ...EVENT_NAME, ...PREFIX, ...LIMIT })
export const LIST_QUERY = Type.Object({ ...PREFIX, ...LIMIT })
