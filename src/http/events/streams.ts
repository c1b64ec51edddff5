import { parsePosition, positionText } from '../../domain/events/tail-position.ts'
import { fault } from '../../domain/fault.ts'
import { encodeJson } from '../../domain/values/json.ts'
import { EVENT_READ_LIMITS } from '../../rules/events.ts'
import { systemSleep } from '../../runtime/clock.ts'
import { auditAction } from '../../store/brand/audit.ts'
import type { EventFilter } from '../../store/events/filter.ts'
import { exportEvents } from '../../store/events/list.ts'
import { findTailPosition, readTail, type TailStep } from '../../store/events/tail.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { EVENT_FILTER_FIELDS, parseEventFilter } from './query.ts'
import { CSV_HEADER, renderCsv, renderEvent, renderNdjson } from './view.ts'

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

/** GET /api/v1/events/tail: what is being logged, as server-sent events. */
export async function tailEvents(deps: Deps, request: TenantRequest): Promise<Reply> {
  if (deps.tails.isFull) return refuse({ faults: [fault('overloaded')] })
  return {
    status: 200,
    body: writeTail(deps, request),
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
  }
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
      const events = await deps.database.asBrand(brandId, async (tx) => exportEvents(tx, filter, page))
      const { rows } = events
      return { text: rows.map(form.render).join(''), last: rows.at(-1), hasMore: events.hasMore }
    })
    if (text !== '') yield text
    if (last === undefined || !hasMore) return
    afterId = last.id
  }
}

/** A stream ends after a while, or when the caller hangs up. A caller that sends the id of the last event continues there. */
async function* writeTail(
  { database, clock, tails }: Deps,
  { caller: { brandId }, headers, signal }: TenantRequest,
): AsyncGenerator<string> {
  // Taken here and not by the handler: a reply that is never read (HEAD) never gets here, and would keep its permit.
  const permit = tails.tryTake()
  if (permit === null) return
  try {
    const endsAt = clock.now() + EVENT_READ_LIMITS.tailStayMs
    let place =
      parsePosition(String(headers['last-event-id'] ?? '')) ??
      (await database.asBrand(brandId, async (tx) => findTailPosition(tx, brandId)))
    yield `retry: ${EVENT_READ_LIMITS.tailEveryMs}\n: what is logged from now on\n\n`
    while (!signal.aborted && clock.now() < endsAt) {
      const look = { place, upTo: null, limit: EVENT_READ_LIMITS.tailEventsMax }
      const step = await database.asBrand(brandId, async (tx) => readTail(tx, brandId, look))
      place = step.place
      yield renderStep(step) || KEEP_ALIVE
      await systemSleep(EVENT_READ_LIMITS.tailEveryMs, signal)
    }
  } finally {
    permit.release()
  }
}

/** A comment; it tells proxies that the line is not dead. */
const KEEP_ALIVE = ': \n\n'

/** All events of one database read carry the position after it, so that a caller that reconnects misses none. */
function renderStep({ events, place, skipped }: TailStep): string {
  const id = positionText(place)
  const shown = events
    .map((event) => `id: ${id}\nevent: event\ndata: ${encodeJson(renderEvent(event))}\n\n`)
    .join('')
  return skipped === 0 ? shown : `${shown}id: ${id}\nevent: skipped\ndata: {"skipped":${skipped}}\n\n`
}

export const EXPORT_QUERY = Type.Object({
  ...EVENT_FILTER_FIELDS,
  format: Type.Optional(Type.Enum(['ndjson', 'csv'], { description: 'ndjson by default.' })),
})
