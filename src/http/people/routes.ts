import { ENTRY_BODY_BOUNDS } from '../../domain/values/json-bytes.ts'
import { DEMO_USER } from '../../rules/brand.ts'
import { PROFILE_LIMITS, VISITOR_LIMITS } from '../../rules/people.ts'
import { EVENT_REPLY_SCHEMA, NAME_SCHEMAS } from '../events/schema.ts'
import { VISITOR_PREFERENCES_BODY } from '../preferences/body.ts'
import { useVisitorPreferences } from '../preferences/preferences.ts'
import { PREFERENCES_VIEW } from '../preferences/view.ts'
import type { JsonSchema, Route } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { NEXT_CURSOR } from '../schema/view.ts'
import { UNMERGE_BODY } from './body.ts'
import { eraseUsers, saveUsers, saveUsersAndLog, unmergeUser } from './people.ts'
import { countUsersByEvent, listUsersByEvent, PEOPLE_BY_EVENT_BODY, readUser } from './reads.ts'
import {
  NAMES_BODY_SCHEMA,
  PROFILE_BODY_EXAMPLE,
  PROFILE_BODY_SCHEMA,
  USER_EVENT_EXAMPLE,
  USER_EVENT_SCHEMA,
} from './schema.ts'
import { readTimeline, TIMELINE_QUERY } from './timeline.ts'
import { TIMELINE_VIEW } from './timeline-view.ts'
import { USER_LIST_VIEW } from './user-view.ts'
import { listAllUsers, searchUsers, USER_QUERY, USER_SEARCH_BODY } from './users.ts'
import { PERSON_VIEW, PROFILE_VIEW, VISITOR_VIEW } from './view.ts'
import { COMMANDS_BODY } from './visitor-body.ts'
import { openVisitor, runCommands } from './visitors.ts'

const PROFILES = { group: 'Profiles', scopes: ['profiles'] } as const
const ENTRIES = { ...PROFILES, reply: EVENT_REPLY_SCHEMA } as const
const PROFILE_REPLY = Type.Object({ profile: PERSON_VIEW })

/** Any of the three will do while the brand merges profiles, and only `userID` otherwise. */
const NAMES: JsonSchema = { type: 'object', properties: NAME_SCHEMAS }

export const PEOPLE_ROUTES: readonly Route[] = [
  {
    ...ENTRIES,
    method: 'POST',
    path: '/api/v1/user/create',
    summary: 'Create or change profiles',
    description: `Up to ${PROFILE_LIMITS.entriesMax} entries. Only the given attributes change; null removes one.`,
    body: 'json',
    bodyBounds: ENTRY_BODY_BOUNDS,
    isIdempotent: true,
    bodySchema: PROFILE_BODY_SCHEMA,
    example: PROFILE_BODY_EXAMPLE,
    refusals: ['parameter_missing', 'too_many_entries'],
    handler: saveUsers,
  },
  {
    ...ENTRIES,
    method: 'POST',
    path: '/api/v1/user_event/create',
    summary: 'Create or change a profile and log an event',
    description: 'The profile is stored first, so the event can start a journey.',
    scopes: ['profiles'],
    body: 'json',
    bodyBounds: ENTRY_BODY_BOUNDS,
    isIdempotent: true,
    bodySchema: USER_EVENT_SCHEMA,
    example: USER_EVENT_EXAMPLE,
    refusals: ['parameter_missing', 'too_many_entries'],
    handler: saveUsersAndLog,
  },
  {
    ...PROFILES,
    method: 'GET',
    path: '/api/v1/user/userdata',
    summary: 'Read all data of a person',
    description:
      'Attributes, identities, tags, devices, ltv and recent events. `records` has every stored row about the person, for a data subject request.',
    body: 'none',
    querySchema: NAMES,
    exampleQuery: { userID: DEMO_USER },
    reply: PROFILE_REPLY,
    refusals: ['identifier_missing', 'profile_not_found'],
    handler: readUser,
  },
  {
    ...PROFILES,
    method: 'POST',
    path: '/api/v1/user/userdata',
    isRead: true,
    summary: 'Read all data of a person (POST)',
    body: 'json',
    bodySchema: NAMES,
    example: { userID: DEMO_USER },
    reply: PROFILE_REPLY,
    refusals: ['identifier_missing', 'profile_not_found'],
    handler: readUser,
  },
  {
    ...PROFILES,
    method: 'GET',
    path: '/api/v1/users',
    summary: 'List or search people',
    description:
      'With search, the people with an identifier that begins so, in any case. Without it, everybody, newest first.',
    body: 'none',
    querySchema: USER_QUERY,
    exampleQuery: { search: DEMO_USER },
    reply: USER_LIST_VIEW,
    lane: 'reads',
    handler: listAllUsers,
  },
  {
    ...PROFILES,
    method: 'POST',
    path: '/api/v1/users/search',
    isRead: true,
    summary: 'Search people with a filter',
    description:
      'The filter is that of a segment. It finds people without devices too; conditions on a device and on tags find a person with a live device that meets them. Conditions that no index answers are checked person by person, a limited number for each page, so that a page may be short, or empty, and still have a next one.',
    body: 'json',
    bodySchema: USER_SEARCH_BODY,
    example: { filter: { any: [{ tag: 'vip' }, { users: [DEMO_USER] }] }, sort: 'newest' },
    reply: USER_LIST_VIEW,
    refusals: ['filter_invalid'],
    lane: 'reads',
    handler: searchUsers,
  },
  {
    ...PROFILES,
    method: 'GET',
    path: '/api/v1/users/{user_id}/timeline',
    summary: 'Read the time line of a person',
    description:
      'Events, deliveries, receipts, steps of journeys, changes and merges, newest first. The fields of a line stand under the name of its kind. `by` says which kind of identifier the address has.',
    body: 'none',
    querySchema: TIMELINE_QUERY,
    reply: TIMELINE_VIEW,
    refusals: ['profile_not_found'],
    lane: 'reads',
    handler: readTimeline,
  },
  {
    ...PROFILES,
    method: 'POST',
    path: '/api/v1/user/profile',
    isRead: true,
    summary: 'List the profiles that did an event',
    body: 'json',
    bodySchema: PEOPLE_BY_EVENT_BODY,
    example: { event_name: 'order placed', from: '2026-11-01', to: '2026-11-30', batch_size: 100 },
    reply: Type.Object({
      profiles: Type.Array(PROFILE_VIEW),
      ...NEXT_CURSOR,
    }),
    lane: 'reads',
    handler: listUsersByEvent,
  },
  {
    ...PROFILES,
    method: 'POST',
    path: '/api/v1/user/count',
    isRead: true,
    summary: 'Count the profiles that did an event',
    body: 'json',
    bodySchema: PEOPLE_BY_EVENT_BODY,
    example: { event_name: 'order placed', from: '2026-11-01', to: '2026-11-30' },
    reply: Type.Object({ count: Type.Integer() }),
    lane: 'reads',
    handler: countUsersByEvent,
  },
  {
    ...PROFILES,
    method: 'POST',
    path: '/api/v1/user/delete',
    summary: 'Erase people',
    description: `Up to ${PROFILE_LIMITS.entriesMax} people. Profiles, identities, devices and waiting messages are erased before the reply; events and the rest follow within moments. A later event for the same identifier creates a new profile.`,
    body: 'json',
    bodySchema: NAMES_BODY_SCHEMA,
    example: { nv: [{ userID: 'user-1' }] },
    reply: EVENT_REPLY_SCHEMA,
    refusals: ['parameter_missing', 'too_many_entries', 'profile_not_found'],
    handler: eraseUsers,
  },
  {
    ...PROFILES,
    method: 'POST',
    path: '/api/v1/user/unmerge',
    summary: 'Undo a merge of two profiles',
    description:
      'Data that the merge moved goes back. Data that was stored since then stays with the surviving profile.',
    body: 'json',
    bodySchema: UNMERGE_BODY,
    example: { userID: 'user-1' },
    reply: Type.Object({ merge: Type.Object({ merge_id: Type.Integer(), state: Type.String() }) }),
    refusals: ['identifier_missing', 'merge_not_found', 'merge_built_on'],
    handler: unmergeUser,
  },
]

/** A publishable key is public, so it may stand in the address: then the browser needs no preflight for a header. */
const PUBLIC_KEY_QUERY = Type.Object({
  key: Type.Optional(Type.String({ description: 'The publishable key, in place of a header.' })),
})

const WEB = {
  method: 'POST',
  querySchema: PUBLIC_KEY_QUERY,
  group: 'Web',
  scopes: ['track', 'subscribe'],
  cors: 'brand',
  rateLimit: 'visitor',
} as const

/** The endpoints that the web SDK calls. A publishable key can use only these; of a person they show the preferences alone. */
const OPEN_VISITOR: Route = {
  ...WEB,
  path: '/api/v1/visitors',
  summary: 'Create a visitor',
  description:
    'Returns a visitor token for a browser. It needs a publishable key, as a header or as ?key=, and an allowed origin. The reply also has the key with which the browser subscribes to pushes.',
  body: 'none',
  reply: Type.Object({ visitor: VISITOR_VIEW, push_key: Type.String() }),
  refusals: ['origin_not_allowed', 'secret_key_in_page'],
  handler: openVisitor,
}

const TOKEN_WORDS = 'the token that POST /api/v1/visitors gave'

export const VISITOR_ROUTES: readonly Route[] = [
  OPEN_VISITOR,
  {
    ...WEB,
    path: '/api/v1/visitors/commands',
    summary: 'Run the commands of a visitor',
    description:
      'For the web SDK. The commands are about the visitor of the token, and cannot name another one. They are committed in order before the reply.',
    body: 'json',
    bodyBytesMax: VISITOR_LIMITS.bodyBytesMax,
    bodyBounds: ENTRY_BODY_BOUNDS,
    bodySchema: COMMANDS_BODY,
    reply: Type.Object({
      visitor: Type.Optional(VISITOR_VIEW),
      unprocessed: Type.Optional(Type.Array(Type.Object({ index: Type.Integer(), code: Type.String() }))),
    }),
    example: {
      visitor: TOKEN_WORDS,
      commands: [{ do: 'event', event_name: 'added_to_cart', attributes: { sku: 'A-1' } }],
    },
    exampleFrom: { route: OPEN_VISITOR, member: 'token', pick: 'first', replaces: TOKEN_WORDS },
    refusals: [
      'origin_not_allowed',
      'secret_key_in_page',
      'visitor_invalid',
      'visitor_expired',
      'user_unverified',
      'too_many_entries',
      'budget_spent',
      'too_many_names',
    ],
    handler: runCommands,
  },
  {
    ...WEB,
    path: '/api/v1/visitors/preferences',
    summary: 'Read or change the preferences of a visitor',
    description:
      'For the web SDK. They are those of the person of the visitor. With opt_outs, which is the whole list, they are changed first. A visitor who did nothing yet has none: 404.',
    body: 'json',
    bodySchema: VISITOR_PREFERENCES_BODY,
    reply: PREFERENCES_VIEW,
    example: { visitor: TOKEN_WORDS },
    refusals: [
      'origin_not_allowed',
      'secret_key_in_page',
      'visitor_invalid',
      'visitor_expired',
      'profile_not_found',
      'topic_unknown',
    ],
    handler: useVisitorPreferences,
  },
]
