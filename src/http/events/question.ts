import { querySpans, spansBefore } from '../../domain/events/query-spans.ts'
import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { parseWhere } from '../../domain/segments/filter.ts'
import type { WrittenFilter } from '../../domain/segments/segment.ts'
import { namesOf } from '../../domain/values/checked.ts'
import { timeZoneOf } from '../../domain/values/time-zone.ts'
import {
  EVENT_MEASURES,
  EVENT_QUERY_LIMITS,
  EVENT_QUERY_SPANS,
  type EventQuerySpan,
} from '../../rules/event-queries.ts'
import { EVENT_READ_LIMITS } from '../../rules/events.ts'
import { SEGMENT_LIMITS } from '../../rules/segments.ts'
import type { EventQuestion } from '../../store/events/measuring.ts'
import { parseTimeRange } from '../fields/time-range.ts'
import { documentRef } from '../schema/document.ts'
import { type Static, Type } from '../schema/schema.ts'
import { DRY_RUN } from './estimate.ts'
import { EVENT_PART, parseParts, parsePeople } from './parts.ts'
import { PROGRESS } from './progress.ts'
import { EVENT_FILTER_FIELDS } from './query.ts'

const NAME = { minLength: 1, maxLength: SEGMENT_LIMITS.attributeCharsMax } as const
const MEASURES = namesOf(EVENT_MEASURES)

const QUESTION = {
  measure: Type.Optional(
    Type.Enum([...MEASURES], {
      description: `${MEASURES.map((name) => `\`${name}\`: ${EVENT_MEASURES[name].meaning}`).join('; ')}. count if absent.`,
    }),
  ),
  attribute: Type.Optional(
    Type.String({
      ...NAME,
      description: 'The number that sum, average and percentile are about; ltv if absent.',
    }),
  ),
  percentile: Type.Optional(
    Type.Number({
      minimum: 1,
      maximum: 99,
      description: 'Required with the measure percentile: 50 is the median.',
    }),
  ),
  event_name: EVENT_FILTER_FIELDS.event_name,
  by: Type.Optional(
    Type.Array(EVENT_PART, {
      maxItems: EVENT_QUERY_LIMITS.partsMax,
      description: 'A group for each combination of these values. A value that is missing is null.',
    }),
  ),
  top: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: EVENT_QUERY_LIMITS.groupsMax,
      description: `How many groups are shown, the largest first; ${EVENT_QUERY_LIMITS.groupsDefault} if absent. All others are counted together, in \`rest\`.`,
    }),
  ),
  every: Type.Optional(
    Type.Enum([...EVENT_QUERY_SPANS], {
      description: 'A number for each whole hour, day or week of the zone.',
    }),
  ),
  from: EVENT_FILTER_FIELDS.from,
  to: EVENT_FILTER_FIELDS.to,
  time_zone: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'An IANA name or an offset; the zone of the brand if absent.',
    }),
  ),
  compare: Type.Optional(
    Type.Boolean({ description: 'Whether the period before, of the same length, is measured too.' }),
  ),
  dry_run: DRY_RUN,
  progress: PROGRESS,
}

export const QUESTION_BODY = Type.Object({
  ...QUESTION,
  where: Type.Optional(Type.Unknown()),
  people: Type.Optional(Type.Unknown()),
})

/** The same body as documents describe it. */
export const QUESTION_SCHEMA = Type.Object({
  ...QUESTION,
  where: Type.Optional(
    Type.Array(Type.Unsafe<object>(documentRef('AttributeCondition')), {
      maxItems: SEGMENT_LIMITS.whereMax,
      description: 'Only events whose attributes meet all of these conditions.',
    }),
  ),
  people: Type.Optional(
    Type.Unsafe<object>({
      ...documentRef('SegmentFilter'),
      description: 'Only events of people whom this filter finds now. Needs profiles:read.',
    }),
  ),
})

/** A question whose filter of people is still as it was written. */
export type ParsedQuestion = Omit<EventQuestion, 'people' | 'cuts'> & {
  readonly people: WrittenFilter | null
  readonly zone: string
  readonly every: EventQuerySpan | null
  /** The edges of the present period. */
  readonly presentEdges: readonly number[]
}

type Around = { readonly brandId: number; readonly brandZone: string; readonly now: number }

export function parseQuestion(body: Static<typeof QUESTION_BODY>, around: Around): Result<ParsedQuestion> {
  const { measure = 'count', attribute = null, percentile, event_name: eventName = null } = body
  const where = parseWhere(body.where, 'where')
  if (!where.ok) return where
  const people = parsePeople(body.people)
  if (!people.ok) return people
  const parts = parseParts(body.by ?? [])
  if (!parts.ok) return parts
  if (attribute !== null && !EVENT_MEASURES[measure].needsNumber) {
    return reject(fault('field_conflict', 'attribute', { detail: `${measure} is not about a number` }))
  }
  if ((measure === 'percentile') !== (percentile !== undefined)) {
    if (measure === 'percentile') return reject(fault('field_missing', 'percentile'))
    return reject(fault('field_conflict', 'percentile', { detail: 'it goes with the measure percentile' }))
  }
  const range = parseEdges(body, around)
  if (!range.ok) return range
  return accept({
    ...range.value,
    brandId: around.brandId,
    now: around.now,
    eventName,
    where: where.value,
    people: people.value,
    measure,
    attribute,
    percentile: (percentile ?? 0) / 100,
    parts: parts.value,
    groupsMax: body.top ?? EVENT_QUERY_LIMITS.groupsDefault,
  })
}

type AskedEdges = Pick<
  ParsedQuestion,
  'zone' | 'every' | 'edges' | 'presentEdges' | 'spansBefore' | 'fromAt' | 'toAt'
>

function parseEdges(body: Static<typeof QUESTION_BODY>, { brandZone, now }: Around): Result<AskedEdges> {
  const { from, to, every = null, compare = false } = body
  const zone = timeZoneOf(body.time_zone ?? brandZone)
  if (zone === null) {
    const detail = 'write an IANA name or an offset such as +05:45'
    return reject(fault('field_invalid', 'time_zone', { detail }))
  }
  const usual = { fromAt: now - EVENT_READ_LIMITS.spanDaysDefault * DAY_MS, toAt: now + 1 }
  const range = parseTimeRange({ ...(from && { from }), ...(to && { to }) }, { timeZone: zone, usual })
  if (!range.ok) return range
  const { fromAt, toAt } = range.value
  if (every !== null && (toAt - fromAt) / LEAST_MS[every] > EVENT_QUERY_LIMITS.spansMax) {
    const detail = `the range has more than ${EVENT_QUERY_LIMITS.spansMax} ${every}s; take a shorter one, or longer spans`
    return reject(fault('field_invalid', 'from', { detail }))
  }
  const present = querySpans({ every, zone, fromAt, toAt })
  const before = compare ? spansBefore(zone, present).slice(0, -1) : []
  const edges = [...before, ...present]
  return accept({
    zone,
    every,
    edges,
    presentEdges: present,
    spansBefore: before.length,
    fromAt: edges[0] ?? fromAt,
    toAt: edges.at(-1) ?? toAt,
  })
}

const DAY_MS = 86_400_000
/** A day may have 23 hours. */
const LEAST_MS = { hour: 3_600_000, day: DAY_MS - 3_600_000, week: 7 * DAY_MS - 3_600_000 } as const
