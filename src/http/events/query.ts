import { parseAttributes } from '../../domain/events/attributes.ts'
import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { encodeJson, parseJson } from '../../domain/values/json.ts'
import { EVENT_ATTRIBUTES } from '../../rules/attributes.ts'
import { EVENT_READ_LIMITS } from '../../rules/events.ts'
import type { EventFilter } from '../../store/events/filter.ts'
import type { Deps } from '../deps.ts'
import { parseTimeRange, type RangeQuery } from '../fields/time-range.ts'
import type { TenantRequest } from '../request.ts'
import { Type } from '../schema/schema.ts'

/** The query of everything that is asked about events. Spread it into the schema of a row. */
export const EVENT_FILTER_FIELDS = {
  userID: Type.Optional(Type.String({ minLength: 1, description: 'Only events of this person.' })),
  event_name: Type.Optional(Type.String({ minLength: 1, description: 'Only events of this name.' })),
  from: Type.Optional(
    Type.String({
      description: 'The first day, or a time, in the zone of the brand; 30 days ago if absent.',
    }),
  ),
  to: Type.Optional(Type.String({ description: 'The last day, or the time before which events count.' })),
  attribute: Type.Optional(Type.String({ minLength: 1, description: 'Only events with this attribute.' })),
  value: Type.Optional(
    Type.String({ description: 'Only events whose attribute has this value: JSON, otherwise a text.' }),
  ),
}

export type EventFilterQuery = RangeQuery & {
  readonly userID?: string
  readonly event_name?: string
  readonly attribute?: string
  readonly value?: string
}

export function parseEventFilter(
  query: EventFilterQuery,
  { clock }: Deps,
  { caller }: TenantRequest,
): Result<EventFilter> {
  const now = clock.now()
  const usual = { fromAt: now - EVENT_READ_LIMITS.spanDaysDefault * DAY_MS, toAt: now + DAY_MS }
  const range = parseTimeRange(query, { timeZone: caller.timeZone, usual })
  if (!range.ok) return range
  const { attribute, value } = query
  if (value !== undefined && attribute === undefined) return reject(fault('field_missing', 'attribute'))
  return accept({
    brandId: caller.brandId,
    userId: query.userID ?? null,
    eventName: query.event_name ?? null,
    ...range.value,
    attribute:
      attribute === undefined
        ? null
        : { name: attribute, equals: value === undefined ? null : jsonOf(value) },
  })
}

const DAY_MS = 86_400_000

/** `5` is read as a number and `true` as a boolean. A value that is not JSON, or that no attribute can hold, is a text. */
function jsonOf(text: string): string {
  try {
    const value = parseJson(text)
    const stored = parseAttributes({ value }, EVENT_ATTRIBUTES, new Set())
    return stored.ok ? encodeJson(value) : encodeJson(text)
  } catch {
    // JSON can say no only by throwing.
    return encodeJson(text)
  }
}
