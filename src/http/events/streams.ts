import { EVENT_READ_LIMITS } from '../../rules/events.ts'
import { auditAction } from '../../store/brand/audit.ts'
import type { EventFilter } from '../../store/events/filter.ts'
import { exportEvents } from '../../store/events/list.ts'
import type { Deps } from '../deps.ts'
import { replyLive } from '../live/live.ts'
import { type Reply, refuse } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { EVENT_FILTER_FIELDS, parseEventFilter } from './query.ts'
import { CSV_HEADER, renderCsv, renderNdjson } from './view.ts'

/** GET /api/v1/events/export: a file of any length, page by page, at the caller's pace. */
export async function exportAll(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(EXPORT_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const filter = parseEventFilter(parsed.value.value, deps, request)
  if (!filter.ok) return refuse(filter.rejection)
  const form = EXPORT_FORMS[parsed.value.value.format ?? 'ndjson']
  const { brandId } = request.caller
  await deps.database.asCaller(request, async (tx) =>
    auditAction(tx, { brandId, action: 'exported', type: 'events', id: form.ending }),
  )
  return {
    status: 200,
    body: writeExport(deps, { filter: filter.value, form, signal: request.signal }),
    headers: {
      'content-type': form.contentType,
      'content-disposition': `attachment; filename="events.${form.ending}"`,
    },
  }
}

/** GET /api/v1/events/tail: a live stream about the events alone. */
export async function tailEvents(deps: Deps, request: TenantRequest): Promise<Reply> {
  return replyLive(deps, request, { subjects: [{ kind: 'events', name: 'events' }], lastId: '' })
}

export const EXPORT_FORMS = {
  ndjson: { ending: 'ndjson', contentType: 'application/x-ndjson', header: '', render: renderNdjson },
  csv: { ending: 'csv', contentType: 'text/csv; charset=utf-8', header: CSV_HEADER, render: renderCsv },
} as const

type Form = (typeof EXPORT_FORMS)[keyof typeof EXPORT_FORMS]

type Export = { readonly filter: EventFilter; readonly form: Form; readonly signal: AbortSignal }

/** A page is read and rendered when its brand is at turn, so that many exports of a brand cost what one does. */
async function* writeExport(deps: Deps, { filter, form, signal }: Export): AsyncGenerator<string> {
  if (form.header !== '') yield form.header
  const limit = EVENT_READ_LIMITS.exportPageRows
  let afterId = 0n
  while (true) {
    const page = { afterId, limit }
    const { brandId } = filter
    const { text, last, hasMore } = await deps.exports.run({ key: String(brandId), signal }, async () => {
      const events = await deps.database.asReader(brandId, async (tx) => exportEvents(tx, filter, page))
      const { rows } = events
      return { text: rows.map(form.render).join(''), last: rows.at(-1), hasMore: events.hasMore }
    })
    if (text !== '') yield text
    if (last === undefined || !hasMore) return
    afterId = last.id
  }
}

export const EXPORT_QUERY = Type.Object({
  ...EVENT_FILTER_FIELDS,
  format: Type.Optional(Type.Enum(['ndjson', 'csv'], { description: 'ndjson by default.' })),
})
