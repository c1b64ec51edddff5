import { ENTRY_BODY_BOUNDS } from '../../domain/values/json-bytes.ts'
import { EVENT_LIMITS, EVENT_READ_LIMITS } from '../../rules/events.ts'
import type { Route } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { NEXT_CURSOR } from '../schema/view.ts'
import { readStats, STATS_QUERY } from './analytics.ts'
import { ANSWER_VIEW, queryEvents } from './answer.ts'
import { logEvents } from './events.ts'
import { FUNNEL_BODY, FUNNEL_VIEW, readFunnel } from './funnel.ts'
import {
  FUNNEL_PEOPLE_BODY,
  FUNNEL_PEOPLE_QUERY,
  FUNNEL_PEOPLE_VIEW,
  readFunnelPeople,
} from './funnel-people.ts'
import { PATH_QUERY, PATHS_VIEW, readPaths } from './paths.ts'
import { QUESTION_SCHEMA } from './question.ts'
import {
  EVENT_PAGE_QUERY,
  EVENT_QUERY,
  EVENT_SCHEMA_QUERY,
  readEventSchema,
  readEvents,
  readRejected,
} from './reads.ts'
import { RETENTION_QUERY, RETENTION_VIEW, readRetention } from './retention.ts'
import { RETENTION_PEOPLE_QUERY, RETENTION_PEOPLE_VIEW, readRetentionPeople } from './retention-people.ts'
import { EVENT_BODY_EXAMPLE, EVENT_BODY_SCHEMA, EVENT_REPLY_SCHEMA } from './schema.ts'
import { EXPORT_FORMS, EXPORT_QUERY, exportAll, tailEvents } from './streams.ts'
import { LOCK_RESET_BODY, resetTypeLock, TYPE_LOCK_VIEW } from './type-locks.ts'
import { EVENT_SCHEMA_VIEW, LISTED_EVENT, REJECTED_VIEW } from './view.ts'

const EVENT_BODY_BOUNDS = {
  ...ENTRY_BODY_BOUNDS,
  containersMax: EVENT_LIMITS.bodyContainersMax,
  valuesMax: EVENT_LIMITS.bodyValuesMax,
}
const READ = { group: 'Events', method: 'GET', scopes: ['events'], body: 'none', lane: 'reads' } as const
const ANALYTICS = { group: 'Events', scopes: ['events'], lane: 'reads' } as const
const COUNT = Type.Integer()

export const EVENT_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/event',
    group: 'Events',
    summary: 'Log events',
    description:
      'Up to 1000 entries. Each entry is checked by itself: valid entries are stored, the others are listed in unprocessed. The reply is sent when the events are committed.',
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
    summary: 'List events',
    description:
      'Newest first: by event time for one person or one event name, otherwise by the time of receipt.',
    querySchema: EVENT_QUERY,
    reply: Type.Object({ events: Type.Array(LISTED_EVENT), ...NEXT_CURSOR }),
    refusals: ['segment_not_found', 'filter_invalid', 'field_conflict'],
    handler: readEvents,
  },
  {
    ...READ,
    path: '/api/v1/events/schema',
    readScopes: ['events:read', 'schema:read'],
    summary: 'Read the event schema',
    description:
      'Every event name and its attributes with their locked types: how often each came, first and last, and how many values were mistyped.',
    querySchema: EVENT_SCHEMA_QUERY,
    reply: Type.Object({ events: Type.Array(EVENT_SCHEMA_VIEW), ...NEXT_CURSOR }),
    handler: readEventSchema,
  },
  {
    method: 'POST',
    path: '/api/v1/events/schema/reset',
    group: 'Events',
    summary: 'Reset a type lock',
    description:
      'For an attribute that is locked to a wrong type. With type the lock gets that type at once; without it, the next value that a secret key sends decides. Stored values are sorted anew within a minute: a value that does not fit the lock becomes mistyped, and a mistyped one that fits is shown. The log of the server notes who did it.',
    scopes: ['brand', 'keys'],
    body: 'json',
    bodySchema: LOCK_RESET_BODY,
    reply: Type.Object({ type_lock: TYPE_LOCK_VIEW }),
    example: { event_name: 'order placed', attribute: 'total', type: 'Number' },
    refusals: ['type_lock_not_found', 'field_conflict'],
    handler: resetTypeLock,
  },
  {
    ...READ,
    path: '/api/v1/events/rejected',
    summary: `List the entries that were refused in the last ${EVENT_LIMITS.rejectedDays} days`,
    querySchema: EVENT_PAGE_QUERY,
    reply: Type.Object({ rejected: Type.Array(REJECTED_VIEW), ...NEXT_CURSOR }),
    handler: readRejected,
  },
  {
    ...ANALYTICS,
    method: 'GET',
    path: '/api/v1/events/stats',
    summary: 'Event statistics',
    description: `Counts events and people. Each row has its group in the field that \`by\` names. Hours and days are in order; names and values come with the most frequent first. The warning \`reply_cut\` says that there are more than ${EVENT_READ_LIMITS.statsRowsMax} rows.`,
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
    path: '/api/v1/events/query',
    isRead: true,
    summary: 'Ask about events',
    description:
      'One measure of the events of a time: how many, of how many people, or the sum, mean or percentile of a number; as a whole, by hour, day or week, and divided by attributes of the event, its context or its person. People are counted once in each number, so numbers of people do not add up. See docs/events.md.',
    body: 'json',
    bodySchema: QUESTION_SCHEMA,
    example: {
      measure: 'people',
      event_name: 'order placed',
      by: [{ attribute: 'category' }],
      every: 'day',
      compare: true,
    },
    reply: ANSWER_VIEW,
    refusals: ['filter_invalid', 'field_conflict', 'scope_missing'],
    handler: queryEvents,
  },
  {
    ...ANALYTICS,
    method: 'POST',
    path: '/api/v1/events/funnel',
    isRead: true,
    summary: 'Funnel',
    description:
      'How many people did each step in order. It begins with a person’s first event of the first step; each further step is the first one after the step before. With `by` also for each group of people.',
    body: 'json',
    bodySchema: FUNNEL_BODY,
    example: { steps: ['signup', 'otp_verified', 'first_purchase'], within: 604_800 },
    reply: FUNNEL_VIEW,
    refusals: ['scope_missing'],
    handler: readFunnel,
  },
  {
    ...ANALYTICS,
    method: 'POST',
    path: '/api/v1/events/funnel/people',
    isRead: true,
    summary: 'List the people of a funnel',
    description:
      'The people behind a number of a funnel: those who did a step, or those who stopped before it. `cursor` and `limit` stand in the address. The body has the fields of the funnel, so that both speak of the same people; without `from`, both begin 30 days before their own call.',
    body: 'json',
    bodySchema: FUNNEL_PEOPLE_BODY,
    querySchema: FUNNEL_PEOPLE_QUERY,
    example: {
      steps: ['signup', 'otp_verified', 'first_purchase'],
      within: 604_800,
      step: 2,
      did: 'stopped',
    },
    reply: FUNNEL_PEOPLE_VIEW,
    handler: readFunnelPeople,
  },
  {
    ...ANALYTICS,
    method: 'GET',
    path: '/api/v1/events/paths',
    summary: 'Paths',
    description:
      'The next events of people after their first event of a name, in the order in which they did them. Each person has one path, so the numbers add up.',
    body: 'none',
    querySchema: PATH_QUERY,
    reply: PATHS_VIEW,
    handler: readPaths,
  },
  {
    ...ANALYTICS,
    method: 'GET',
    path: '/api/v1/events/retention',
    summary: 'Retention',
    description:
      'How many people who started in a period came back later. The first number of `returned` is the period of the start; null is a period that has not begun. With `by` also for each group of people, over all cohorts.',
    body: 'none',
    querySchema: RETENTION_QUERY,
    reply: RETENTION_VIEW,
    refusals: ['scope_missing'],
    handler: readRetention,
  },
  {
    ...ANALYTICS,
    method: 'GET',
    path: '/api/v1/events/retention/people',
    summary: 'List the people of a retention report',
    description:
      'The people behind a number of a retention report: everybody of a cohort, or those of them who came back in a period. The other fields are those of the report, so that both speak of the same people; without `from`, both begin 30 days before their own call.',
    body: 'none',
    querySchema: RETENTION_PEOPLE_QUERY,
    reply: RETENTION_PEOPLE_VIEW,
    handler: readRetentionPeople,
  },
  {
    ...READ,
    path: '/api/v1/events/export',
    summary: 'Export events',
    description:
      'A stream of NDJSON or CSV, one line for each event in the form of `/api/v1/events`, in the order of receipt, of any length. In CSV a cell that a spreadsheet would run as a formula begins with a quote; NDJSON is exact.',
    querySchema: EXPORT_QUERY,
    replyType: [EXPORT_FORMS.ndjson.contentType, EXPORT_FORMS.csv.contentType],
    handler: exportAll,
  },
  {
    ...READ,
    path: '/api/v1/events/tail',
    summary: 'Watch events live',
    description:
      'For debugging: server-sent events, a second after the commit. The same as `/api/v1/live?subjects=events`; see docs/live.md.',
    replyType: 'text/event-stream',
    refusals: ['too_many_streams'],
    isLive: true,
    handler: tailEvents,
  },
]
