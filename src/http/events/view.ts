import { receivedAt } from '../../domain/events/week.ts'
import { encodeJson } from '../../domain/values/json.ts'
import { ATTRIBUTE_TYPES } from '../../rules/attributes.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'
import type { EventRow, ListedEvent } from '../../store/events/list.ts'
import type { RejectedRow } from '../../store/events/rejected-entries.ts'
import type { EventSchemaRow } from '../../store/events/schema.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT, instantOf, TEXT_OR_NULL } from '../schema/view.ts'

/** An event as lists, exports and the live tail show it. */
export function renderEvent(event: EventRow): Readonly<Record<string, unknown>> {
  return {
    // As a text: it is larger than what most JSON readers keep exact.
    id: String(event.id),
    userID: event.userId,
    event_name: event.name,
    event_time: instantOf(event.at),
    received_at: instantOf(receivedAt(event.id)),
    ltv: event.ltv,
    attributes: event.attributes,
    context: event.context,
    event_id: event.eventId,
    is_before_creation: event.isBeforeCreation,
  }
}

/** An event of a list, with its mistyped values where the list asks for them. */
export function renderListedEvent(event: ListedEvent): object {
  const { mistyped } = event
  return { ...renderEvent(event), ...(mistyped === undefined ? {} : { mistyped }) }
}

const ANYTHING = Type.Record(Type.String(), Type.Unknown())

const EVENT_FIELDS = {
  id: Type.String({ description: 'Beckon’s id of the event, a whole number of 63 bits.' }),
  userID: TEXT_OR_NULL,
  event_name: Type.String(),
  event_time: INSTANT,
  received_at: INSTANT,
  ltv: Type.String(),
  attributes: ANYTHING,
  context: Type.Union([ANYTHING, Type.Null()]),
  event_id: TEXT_OR_NULL,
  is_before_creation: Type.Boolean({
    description: 'Whether the event is before the creation of its profile; then it starts no journey.',
  }),
}

export const EVENT_VIEW = Type.Object(EVENT_FIELDS)

export const LISTED_EVENT = Type.Object({
  ...EVENT_FIELDS,
  mistyped: Type.Optional(
    Type.Union([ANYTHING, Type.Null()], {
      description: 'The values that do not fit their locked type, if the query asks for mistyped values.',
    }),
  ),
})

export function renderEventSchema({
  eventName,
  eventCount,
  firstSeenAt,
  lastSeenAt,
  attributes,
}: EventSchemaRow): object {
  return {
    event_name: eventName,
    event_count: eventCount,
    first_seen: instantOf(firstSeenAt),
    last_seen: instantOf(lastSeenAt),
    attributes: attributes.map(({ name, type, ...attribute }) => ({
      name,
      type: ATTRIBUTE_TYPES[type].label,
      first_seen: instantOf(Date.parse(attribute.locked_at)),
      last_seen: instantOf(Date.parse(attribute.last_seen_at)),
      count: attribute.shown_count + attribute.mistyped_count,
      mistyped: attribute.mistyped_count,
      is_provisional: attribute.is_provisional,
    })),
  }
}

export function renderRejected({ rejectedAt, ...row }: RejectedRow): object {
  return { ...row, rejected_at: instantOf(rejectedAt) }
}

const SEEN = { first_seen: INSTANT, last_seen: INSTANT }

export const EVENT_SCHEMA_VIEW = Type.Object({
  event_name: Type.String(),
  event_count: Type.Integer(),
  ...SEEN,
  attributes: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.Enum(Object.values(ATTRIBUTE_TYPES).map(({ label }) => label)),
      ...SEEN,
      count: Type.Integer({ description: 'The number of values, with the mistyped ones.' }),
      mistyped: Type.Integer({ description: 'The number of values of another type than the locked one.' }),
      is_provisional: Type.Boolean({
        description: 'Whether only browsers sent it. The next value of a secret key decides its type.',
      }),
    }),
  ),
})

export const REJECTED_VIEW = Type.Object({
  id: Type.Integer(),
  index: Type.Integer({ description: 'The position of the entry in its call.' }),
  code: Type.String(),
  field: TEXT_OR_NULL,
  message: Type.String(),
  entry: Type.String({
    description: `The entry as it was sent, as JSON in a text; its first ${EVENT_LIMITS.rejectedCharsMax} characters.`,
  }),
  rejected_at: INSTANT,
})

const COLUMNS = [
  'id',
  'userID',
  'event_name',
  'event_time',
  'received_at',
  'ltv',
  'attributes',
  'context',
  'event_id',
  'is_before_creation',
] as const

/** The first line of an export as CSV. */
export const CSV_HEADER = `${COLUMNS.join(',')}\r\n`

/** One line of it (RFC 4180); objects are JSON in a cell. */
export function renderCsv(event: EventRow): string {
  const shown = renderEvent(event)
  return `${COLUMNS.map((name) => csvCell(shown[name])).join(',')}\r\n`
}

export function renderNdjson(event: EventRow): string {
  return `${encodeJson(renderEvent(event))}\n`
}

/** A cell of a CSV file (RFC 4180). */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? disarm(value) : encodeJson(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * A spreadsheet takes a cell that begins so for a formula, and what is in it came from anybody with a publishable key.
 * A quote before it makes it a text, as spreadsheets themselves write it; NDJSON is the export for programs.
 */
function disarm(text: string): string {
  return /^[=+\-@\t\r]/u.test(text) && !/^[+-]?\d+(?:\.\d+)?$/u.test(text) ? `'${text}` : text
}
