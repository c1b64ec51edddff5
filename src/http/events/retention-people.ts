import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { readDate } from '../../domain/values/calendar.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import { EVENT_READ_LIMITS } from '../../rules/events.ts'
import { listRetentionPeople } from '../../store/events/retention-people.ts'
import type { Deps } from '../deps.ts'
import { nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { personRowsView, renderPersonRow } from './person-row.ts'
import { parseEventFilter } from './query.ts'
import { RETENTION_QUERY } from './retention.ts'

/** GET /api/v1/events/retention/people: the people behind a number of a retention report. */
export async function readRetentionPeople(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(RETENTION_PEOPLE_QUERY, request.query), parseInt64)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { after: afterId, limit, value: query, warnings } = parsed.value
  const cell = parseCell(query)
  if (!cell.ok) return refuse(cell.rejection)
  const { start_event: startEvent = null, return_event: returnEvent = null, unit = 'day', from, to } = query
  const filter = parseEventFilter({ ...(from && { from }), ...(to && { to }) }, deps, request)
  if (!filter.ok) return refuse(filter.rejection)

  const { brandId, timeZone } = request.caller
  const { fromAt, toAt } = filter.value
  const asked = { brandId, startEvent, returnEvent, unit, timeZone, fromAt, toAt, ...cell.value }
  const found = await deps.database.asQuestion({ brandId, signal: request.signal }, async (tx) =>
    listRetentionPeople(tx, { ...asked, afterId, limit }),
  )
  const next = nextCursor(found, ({ id }) => String(id))
  const fields = { people: found.rows.map(renderPersonRow), next_cursor: next }
  return replySuccess(fields, { processed: found.rows.length, warnings })
}

type CellQuery = { readonly cohort: string; readonly period?: number; readonly periods?: number }

/** The place of a number in the report. */
type Cell = { readonly cohort: string; readonly period: number }

function parseCell({ cohort, period = 0, periods = PERIODS_DEFAULT }: CellQuery): Result<Cell> {
  if (readDate(cohort)?.kind !== 'day')
    return reject(fault('field_type', 'cohort', { expected: 'a date (yyyy-MM-dd)' }))
  if (period >= periods)
    return reject(fault('field_invalid', 'period', { detail: 'the report has no such period' }))
  return accept({ cohort, period })
}

const PERIODS_DEFAULT = EVENT_READ_LIMITS.retentionPeriodsDefault

export const RETENTION_PEOPLE_QUERY = Type.Object({
  start_event: RETENTION_QUERY.properties.start_event,
  return_event: RETENTION_QUERY.properties.return_event,
  unit: RETENTION_QUERY.properties.unit,
  periods: RETENTION_QUERY.properties.periods,
  from: RETENTION_QUERY.properties.from,
  to: RETENTION_QUERY.properties.to,
  cohort: Type.String({ description: 'The cohort whose people are listed, as the report names it.' }),
  period: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: EVENT_READ_LIMITS.retentionPeriodsMax - 1,
      default: 0,
      description: 'The place of a number in `returned`. At 0 everybody of the cohort is listed.',
    }),
  ),
  ...PAGE_FIELDS,
})

export const RETENTION_PEOPLE_VIEW = personRowsView(
  'When the person last came back in this period; at period 0, when they started.',
)
