import { accept, type Result } from '../../domain/result.ts'
import { encodeJson } from '../../domain/values/json.ts'
import { isUuid } from '../../domain/values/uuid.ts'
import { type AuditLine, type AuditQuery, listAudit } from '../../store/brand/audit.ts'
import type { Deps } from '../deps.ts'
import { csvCell } from '../events/view.ts'
import { nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { parseTimeBound } from '../lists/time-bound.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, type Static, Type } from '../schema/schema.ts'
import { INSTANT, instantOf, TEXT_OR_NULL } from '../schema/view.ts'

const FILTER_FIELDS = {
  actor: Type.Optional(
    Type.String({ maxLength: 100, description: '`key:<id>`, `member:<id>`, `cli` or `system`.' }),
  ),
  action: Type.Optional(
    Type.String({
      maxLength: 50,
      description:
        'created, changed, deleted, restored, removed, exported, erased, merged, unmerged or used.',
    }),
  ),
  subject_type: Type.Optional(
    Type.String({ maxLength: 50, description: 'The kind of thing: `segment`, `key`, `person` …' }),
  ),
  subject_id: Type.Optional(Type.String({ maxLength: 200, description: 'Its id; with subject_type.' })),
  from: Type.Optional(Type.String({ description: 'The first instant, as 2026-03-29T12:00:00Z.' })),
  to: Type.Optional(Type.String({ description: 'The instant before which lines count.' })),
}

export const AUDIT_QUERY = Type.Object({ ...FILTER_FIELDS, ...PAGE_FIELDS })

export const AUDIT_EXPORT_QUERY = Type.Object({
  ...FILTER_FIELDS,
  format: Type.Optional(Type.Enum(['ndjson', 'csv'], { default: 'ndjson' })),
})

const SHOWN = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()])

export const AUDIT_VIEW = Type.Object({
  id: Type.String({ format: 'uuid' }),
  at: INSTANT,
  actor: Type.String(),
  action: Type.String(),
  subject_type: Type.String(),
  subject_id: Type.String(),
  before: SHOWN,
  after: SHOWN,
  request_id: TEXT_OR_NULL,
  network: TEXT_OR_NULL,
})

/** GET /api/v1/audit */
export async function listAuditLines(deps: Deps, { caller, query }: TenantRequest): Promise<Reply> {
  return replyAuditLines(deps, { brandId: caller.brandId, query })
}

/** GET /api/v1/audit/export: all lines that the filter finds, newest first, page by page at the caller's pace. */
export async function exportAudit(deps: Deps, { caller, query, signal }: TenantRequest): Promise<Reply> {
  return replyAuditExport(deps, { brandId: caller.brandId, query, signal })
}

/** A request for lines of a brand, or of the instance. */
type AuditRequest = Pick<TenantRequest, 'query'> & { readonly brandId: number }

export async function replyAuditLines({ database }: Deps, { brandId, query }: AuditRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(AUDIT_QUERY, query), (text) => (isUuid(text) ? text : null))
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, after, limit, warnings } = parsed.value
  const filter = parseFilterOf(value, brandId)
  if (!filter.ok) return refuse(filter.rejection)
  const page = await database.asBrand(brandId, async (tx) =>
    listAudit(tx, { ...filter.value, before: after, limit }),
  )
  const fields = { audit: page.rows.map(renderAuditLine), next_cursor: nextCursor(page, ({ id }) => id) }
  return replySuccess(fields, { processed: page.rows.length, warnings })
}

export async function replyAuditExport(
  deps: Deps,
  { brandId, query, signal }: AuditRequest & Pick<TenantRequest, 'signal'>,
): Promise<Reply> {
  const parsed = parseQuery(AUDIT_EXPORT_QUERY, query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const filter = parseFilterOf(parsed.value.value, brandId)
  if (!filter.ok) return refuse(filter.rejection)
  const form = AUDIT_FORMS[parsed.value.value.format ?? 'ndjson']
  return {
    status: 200,
    body: writeLines(deps, { filter: filter.value, form, signal }),
    headers: {
      'content-type': form.contentType,
      'content-disposition': `attachment; filename="audit.${form.ending}"`,
    },
  }
}

type AuditFilter = Omit<AuditQuery, 'before' | 'limit'>
type FilterFields = Omit<Static<typeof AUDIT_QUERY>, 'cursor' | 'limit'>

function parseFilterOf(given: FilterFields, brandId: number): Result<AuditFilter> {
  const from = parseTimeBound('from', given.from)
  if (!from.ok) return from
  const to = parseTimeBound('to', given.to)
  if (!to.ok) return to
  return accept({
    brandId,
    actor: given.actor ?? null,
    action: given.action ?? null,
    subjectType: given.subject_type ?? null,
    subjectId: given.subject_id ?? null,
    from: from.value,
    to: to.value,
  })
}

function renderAuditLine(line: AuditLine): Readonly<Record<(typeof COLUMNS)[number], unknown>> {
  return {
    id: line.id,
    at: instantOf(line.at),
    actor: line.actor,
    action: line.action,
    subject_type: line.subjectType,
    subject_id: line.subjectId,
    before: line.before,
    after: line.after,
    request_id: line.requestId,
    network: line.network,
  }
}

const COLUMNS = [
  'id',
  'at',
  'actor',
  'action',
  'subject_type',
  'subject_id',
  'before',
  'after',
  'request_id',
  'network',
] as const

export const AUDIT_FORMS = {
  ndjson: {
    ending: 'ndjson',
    contentType: 'application/x-ndjson',
    header: '',
    render: (line: AuditLine): string => `${encodeJson(renderAuditLine(line))}\n`,
  },
  csv: {
    ending: 'csv',
    contentType: 'text/csv; charset=utf-8',
    header: `${COLUMNS.join(',')}\r\n`,
    render: (line: AuditLine): string => {
      const shown = renderAuditLine(line)
      return `${COLUMNS.map((name) => csvCell(shown[name])).join(',')}\r\n`
    },
  },
} as const

type Written = {
  readonly filter: AuditFilter
  readonly form: (typeof AUDIT_FORMS)[keyof typeof AUDIT_FORMS]
  readonly signal: AbortSignal
}

async function* writeLines(deps: Deps, { filter, form, signal }: Written): AsyncGenerator<string> {
  if (form.header !== '') yield form.header
  const { brandId } = filter
  let before: string | null = null
  while (true) {
    const query: AuditQuery = { ...filter, before, limit: EXPORT_PAGE_ROWS }
    const page = await deps.exports.run({ key: String(brandId), signal }, async () =>
      deps.database.asBrand(brandId, async (tx) => listAudit(tx, query)),
    )
    const text = page.rows.map((line) => form.render(line)).join('')
    if (text !== '') yield text
    const last = page.rows.at(-1)
    if (last === undefined || !page.hasMore) return
    before = last.id
  }
}

const EXPORT_PAGE_ROWS = 500
