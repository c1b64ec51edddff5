import { BODY_BOUNDS } from '../../domain/values/json-bytes.ts'
import { EVENT_LIMITS, EVENT_READ_LIMITS } from '../../rules/events.ts'
import type { Route } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { NEXT_CURSOR } from '../schema/view.ts'
import {
  FUNNEL_BODY,
  RETENTION_QUERY,
  readFunnel,
  readRetention,
  readStats,
  STATS_QUERY,
} from './analytics.ts'
import { logEvents } from './events.ts'
import { EVENT_PAGE_QUERY, EVENT_QUERY, readEventSchema, readEvents, readRejected } from './reads.ts'
import { EVENT_BODY_EXAMPLE, EVENT_BODY_SCHEMA, EVENT_REPLY_SCHEMA } from './schema.ts'
import { EXPORT_FORMS, EXPORT_QUERY, exportAll, tailEvents } from './streams.ts'
import { EVENT_SCHEMA_VIEW, EVENT_VIEW, REJECTED_VIEW } from './view.ts'

const EVENT_BODY_BOUNDS = {
  ...BODY_BOUNDS,
  containersMax: EVENT_LIMITS.bodyContainersMax,
  valuesMax: EVENT_LIMITS.bodyValuesMax,
}
const READ = { group: 'Events', method: 'GET', scopes: ['events'], body: 'none' } as const
const ANALYTICS = { group: 'Events', scopes: ['events'], lane: 'reads' } as const
const COUNT = Type.Integer()

export const EVENT_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/event',
    group: 'Events',
    summary: 'Logs up to 1000 events',
    description:
      'Each entry is judged by itself: the good ones are stored, the others are listed in unprocessed. The reply is sent when the events are committed.',
    scopes: ['events'],
    body: 'json',
    bodyBytesMax: EVENT_LIMITS.bodyBytesMax,
    bodyBounds: EVENT_BODY_BOUNDS,
    isIdempotent: true,
    bodySchema: EVENT_BODY_SCHEMA,
    reply: EVENT_REPLY_SCHEMA,
    refusals: ['parameter_missing', 'too_many_entries'],
    example: EVENT_BODY_EXAMPLE,
    handler: logEvents,
  },
  {
    ...READ,
    path: '/api/v1/events',
    summary: 'Lists events by person, name, time and attribute',
    description:
      'Newest first: by when they happened for one person or one name, by when they were received otherwise.',
    querySchema: EVENT_QUERY,
    reply: Type.Object({ events: Type.Array(EVENT_VIEW), ...NEXT_CURSOR }),
    handler: readEvents,
  },
  {
    ...READ,
    path: '/api/v1/events/schema',
    summary: 'Shows every event, its attributes and the types they are locked to',
    description: 'With how often each came, when first and last, and how many values were mistyped.',
    querySchema: EVENT_PAGE_QUERY,
    reply: Type.Object({ events: Type.Array(EVENT_SCHEMA_VIEW), ...NEXT_CURSOR }),
    handler: readEventSchema,
  },
  {
    ...READ,
    path: '/api/v1/events/rejected',
    summary: `Lists the entries that were refused in the last ${EVENT_LIMITS.rejectedDays} days, and why`,
    querySchema: EVENT_PAGE_QUERY,
    reply: Type.Object({ rejected: Type.Array(REJECTED_VIEW), ...NEXT_CURSOR }),
    handler: readRejected,
  },
  {
    ...ANALYTICS,
    method: 'GET',
    path: '/api/v1/events/stats',
    summary: 'Counts events and the people who did them',
    description: `Each row has what it is counted by, under the name that \`by\` says. Time runs forward; names and values come most frequent first. A warning \`reply_cut\` tells that there are more than ${EVENT_READ_LIMITS.statsRowsMax} rows.`,
    body: 'none',
    querySchema: STATS_QUERY,
    reply: Type.Object({
      stats: Type.Array(
        Type.Object({
          hour: Type.Optional(Type.String({ description: 'yyyy-MM-dd HH:00 in the zone of the brand.' })),
          day: Type.Optional(Type.String({ description: 'yyyy-MM-dd in the zone of the brand.' })),
          name: Type.Optional(Type.String({ description: 'The name of the event.' })),
          attribute: Type.Optional(Type.Unknown({ description: 'The value of the attribute.' })),
          count: COUNT,
          unique_users: COUNT,
          ltv: Type.String(),
        }),
      ),
    }),
    handler: readStats,
  },
  {
    ...ANALYTICS,
    method: 'POST',
    path: '/api/v1/events/funnel',
    summary: 'Tells how far people come on a way of several events',
    description: 'From each person’s first start, every step at its first chance after the one before.',
    body: 'json',
    bodySchema: FUNNEL_BODY,
    example: { steps: ['signup', 'otp_verified', 'first_purchase'], within: 604_800 },
    reply: Type.Object({ funnel: Type.Array(Type.Object({ event_name: Type.String(), users: COUNT })) }),
    handler: readFunnel,
  },
  {
    ...ANALYTICS,
    method: 'GET',
    path: '/api/v1/events/retention',
    summary: 'Tells how many of those who started in a period came back later',
    description:
      'The first number of `returned` is the period they started in; null is one that has not begun.',
    body: 'none',
    querySchema: RETENTION_QUERY,
    reply: Type.Object({
      retention: Type.Array(
        Type.Object({
          cohort: Type.String({ description: 'The first day of the period they started in.' }),
          users: COUNT,
          returned: Type.Array(Type.Union([COUNT, Type.Null()])),
        }),
      ),
    }),
    handler: readRetention,
  },
  {
    ...READ,
    path: '/api/v1/events/export',
    summary: 'Streams events as NDJSON or CSV',
    description:
      'A line for each event, as `/api/v1/events` shows it, in the order they were received. However many there are, memory stays small. In CSV a cell that a spreadsheet would run as a formula begins with a quote; NDJSON is exact.',
    querySchema: EXPORT_QUERY,
    replyType: [EXPORT_FORMS.ndjson.contentType, EXPORT_FORMS.csv.contentType],
    handler: exportAll,
  },
  {
    ...READ,
    path: '/api/v1/events/tail',
    summary: 'Shows events live, for debugging an integration',
    description: `Server-sent events, half a second after the commit. Of a flood each look shows ${EVENT_READ_LIMITS.tailEventsMax}, and an event \`skipped\` tells how many more there were. It ends after ten minutes; browsers come back by themselves.`,
    replyType: 'text/event-stream',
    handler: tailEvents,
  },
]
