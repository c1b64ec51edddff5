import { type Fault, fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { cutSpans, SPAN_MS } from '../../domain/series/spans.ts'
import { namesOf } from '../../domain/values/checked.ts'
import { timeZoneOf } from '../../domain/values/time-zone.ts'
import { isUuid } from '../../domain/values/uuid.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import {
  NOTIFICATION_METRICS,
  SERIES_GROUPS,
  SERIES_LIMITS,
  SERIES_METRICS,
  SERIES_MINUTES,
  SERIES_SPANS,
  type SeriesGroup,
  type SeriesMetric,
  type SeriesSpan,
} from '../../rules/series.ts'
import type { SeriesFilter } from '../../store/series/reads.ts'
import { parseTimeRange } from '../fields/time-range.ts'
import { parseId } from '../lists/id.ts'
import { type Static, Type } from '../schema/schema.ts'

const METRICS = namesOf(SERIES_METRICS)
const SPANS = namesOf(SERIES_SPANS)
const GROUPS = namesOf(SERIES_GROUPS)

/** The range of a series and its zone. Spread it into the query schema of a row. */
export const SERIES_RANGE = {
  from: Type.Optional(
    Type.String({
      description: `The first day, or a time, in the zone; if absent, ${SPANS.map((name) => `${SERIES_SPANS[name].usual} ${name}s`).join(', ')} before the end.`,
    }),
  ),
  to: Type.Optional(Type.String({ description: 'The last day, or the end, in the zone; now if absent.' })),
  time_zone: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'An IANA name or an offset; the zone of the brand if absent.',
    }),
  ),
}

export const SERIES_QUERY = Type.Object({
  metric: Type.String({
    maxLength: 200,
    description: `One or more, with commas between them: ${METRICS.map((name) => `\`${name}\` (${SERIES_METRICS[name].meaning})`).join(', ')}.`,
  }),
  by: Type.Optional(Type.Enum([...SPANS], { description: 'The length of a span; day if absent.' })),
  ...SERIES_RANGE,
  group: Type.Optional(
    Type.Enum([...GROUPS], {
      description: `One line for each part; at most ${SERIES_LIMITS.groupsMax} lines, the largest first.`,
    }),
  ),
  platform: Type.Optional(Type.Enum([...PLATFORM_NAMES])),
  campaign_id: Type.Optional(Type.String({ maxLength: 20, description: 'Only messages of this campaign.' })),
  journey_id: Type.Optional(Type.String({ maxLength: 20, description: 'Only this journey.' })),
  notification_id: Type.Optional(
    Type.String({
      maxLength: 36,
      description: `Only this notification, by the id that Beckon gave it. It has ${NOTIFICATION_METRICS.join(', ')}, and no parts.`,
    }),
  ),
  step: Type.Optional(Type.String({ maxLength: 100, description: 'Only this step of a journey.' })),
  name: Type.Optional(
    Type.String({ maxLength: 255, description: 'Only this name: of an event, a reason, a topic.' }),
  ),
})

export type ParsedSeries = {
  readonly metrics: readonly SeriesMetric[]
  readonly by: SeriesSpan
  readonly zone: string
  /** The beginning of each span, and the end of the last. */
  readonly edges: readonly number[]
  readonly group: SeriesGroup | null
  readonly filter: SeriesFilter
  /** Null for all notifications. */
  readonly notificationId: string | null
}

type Around = { readonly brandZone: string; readonly now: number }

export function parseSeries(query: Static<typeof SERIES_QUERY>, around: Around): Result<ParsedSeries> {
  const metrics = parseMetrics(query.metric)
  if (!metrics.ok) return metrics
  const filter = parseFilter(query)
  if (!filter.ok) return filter
  const { by = 'day', group = null } = query
  const misfit = partFault(metrics.value, { ...filter.value, group })
  if (misfit !== null) return reject(misfit)
  if (by === 'minute' && metrics.value.includes('people_active')) {
    return reject(fault('field_conflict', 'by', { detail: 'people_active is not counted by the minute' }))
  }
  const { notification_id: notificationId = null } = query
  const stranger = notificationFault(notificationId, { ...filter.value, group, metrics: metrics.value })
  if (stranger !== null) return reject(stranger)
  const zone = timeZoneOf(query.time_zone ?? around.brandZone)
  if (zone === null) {
    return reject(
      fault('field_invalid', 'time_zone', { detail: 'write an IANA name or an offset such as +05:45' }),
    )
  }
  const edges = parseEdges(query, { by, zone, now: around.now })
  if (!edges.ok) return edges
  if (by !== 'minute' && edges.value.some((edge) => edge % QUARTER_MS !== 0)) {
    const detail = 'series are counted by quarters of an hour, so its offset must be a multiple of 15 minutes'
    return reject(fault('field_invalid', 'time_zone', { detail }))
  }
  return accept({
    metrics: metrics.value,
    by,
    zone,
    edges: edges.value,
    group,
    filter: filter.value,
    notificationId,
  })
}

function parseMetrics(text: string): Result<readonly SeriesMetric[]> {
  const named = [...new Set(text.split(',').map((name) => name.trim()))]
  const known = named.flatMap((name) => METRICS.find((metric) => metric === name) ?? [])
  if (known.length < named.length) {
    const detail = `it must be one or more of ${METRICS.join(', ')}, with commas between them`
    return reject(fault('field_invalid', 'metric', { detail }))
  }
  if (known.length <= SERIES_LIMITS.metricsMax) return accept(known)
  return reject(fault('field_invalid', 'metric', { detail: `at most ${SERIES_LIMITS.metricsMax} at once` }))
}

function parseFilter(query: Static<typeof SERIES_QUERY>): Result<SeriesFilter> {
  const campaignId = parseId('campaign_id', query.campaign_id)
  if (!campaignId.ok) return campaignId
  const journeyId = parseId('journey_id', query.journey_id)
  if (!journeyId.ok) return journeyId
  const { platform = null, step = null, name = null } = query
  return accept({ platform, campaignId: campaignId.value, journeyId: journeyId.value, step, name })
}

type AskedParts = SeriesFilter & { readonly group: SeriesGroup | null }

/** A part that a metric does not have would give zeros, which somebody would believe. */
function partFault(metrics: readonly SeriesMetric[], asked: AskedParts): Fault | null {
  const used: readonly (readonly [string, SeriesGroup | null])[] = [
    ['group', asked.group],
    ['platform', asked.platform === null ? null : 'platform'],
    ['campaign_id', asked.campaignId === null ? null : 'campaign'],
    ['journey_id', asked.journeyId === null ? null : 'journey'],
    ['step', asked.step === null ? null : 'step'],
    ['name', asked.name === null ? null : 'name'],
  ]
  for (const metric of metrics) {
    const { parts }: { readonly parts: readonly SeriesGroup[] } = SERIES_METRICS[metric]
    const odd = used.find(([, part]) => part !== null && !parts.includes(part))
    if (odd === undefined) continue
    return fault('field_conflict', odd[0], { detail: `${metric} is not counted by ${odd[1]}` })
  }
  return null
}

/** A single notification is counted whole. */
function notificationFault(
  id: string | null,
  { metrics, group, ...filter }: AskedParts & { readonly metrics: readonly SeriesMetric[] },
): Fault | null {
  if (id === null) return null
  if (!isUuid(id)) return fault('field_invalid', 'notification_id', { detail: 'it is not an id of Beckon' })
  const odd = metrics.find((metric) => !NOTIFICATION_METRICS.includes(metric))
  if (odd !== undefined) {
    return fault('field_conflict', 'metric', { detail: `a single notification does not have ${odd}` })
  }
  const isDivided = group !== null || Object.values(filter).some((part) => part !== null)
  if (!isDivided) return null
  return fault('field_conflict', 'notification_id', { detail: 'a single notification has no parts' })
}

type EdgeQuery = { readonly by: SeriesSpan; readonly zone: string; readonly now: number }

/** The spans of the range. The future has none: a time to come ends the range now. */
function parseEdges(
  query: Static<typeof SERIES_QUERY>,
  { by, zone, now }: EdgeQuery,
): Result<readonly number[]> {
  const { from, to } = query
  const spanMs = SPAN_MS[by]
  const end = parseTimeRange(
    { ...(to && { to }) },
    { timeZone: zone, usual: { fromAt: NEVER, toAt: now + 1 } },
  )
  if (!end.ok) return end
  const toAt = Math.min(end.value.toAt, now + 1)
  const usual = { fromAt: toAt - (SERIES_SPANS[by].usual - 1) * spanMs - 1, toAt }
  const range = parseTimeRange({ ...(from && { from }), ...(to && { to }) }, { timeZone: zone, usual })
  if (!range.ok) return range
  const { fromAt } = range.value
  if (fromAt > now) return reject(fault('field_invalid', 'from', { detail: 'it is in the future' }))
  if ((toAt - fromAt) / spanMs > SERIES_LIMITS.spansMax) return reject(tooLong(by))
  const keptMs =
    by === 'minute' ? SERIES_LIMITS.minutesHours * SPAN_MS.hour : SERIES_LIMITS.keptDays * SPAN_MS.day
  if (fromAt < now - keptMs) {
    const kept = by === 'minute' ? `${SERIES_LIMITS.minutesHours} hours` : `${SERIES_LIMITS.keptDays} days`
    return reject(fault('field_invalid', 'from', { detail: `series by the ${by} are kept for ${kept}` }))
  }
  const edges = cutSpans({ by, zone, fromAt, toAt })
  return edges.length - 1 > SERIES_LIMITS.spansMax ? reject(tooLong(by)) : accept(edges)
}

const NEVER = Number.NEGATIVE_INFINITY

function tooLong(by: SeriesSpan): Fault {
  const detail = `the range has more than ${SERIES_LIMITS.spansMax} ${by}s; take a shorter one, or longer spans`
  return fault('field_invalid', 'from', { detail })
}

const QUARTER_MS = SERIES_MINUTES.quarter * SPAN_MS.minute
