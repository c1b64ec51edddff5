import { DEMO_USER } from '../../rules/brand.ts'
import { PROFILE_LIMITS, VISITOR_LIMITS } from '../../rules/people.ts'
import { EVENT_REPLY_SCHEMA, NAME_SCHEMAS } from '../events/schema.ts'
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
    summary: `Makes or changes up to ${PROFILE_LIMITS.entriesMax} profiles`,
    description: 'Attributes merge key by key; null takes one away.',
    body: 'json',
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
    summary: 'Makes or changes a profile, then logs an event of it',
    description: 'The profile comes first, so the event is never before it and can start a journey.',
    scopes: ['profiles'],
    body: 'json',
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
    summary: 'Shows all there is about one person',
    description:
      'Attributes, names, tags, devices, worth, recent events; and under records every stored row that mentions them, for a request to see one’s data.',
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
    summary: 'The same, with the name in the body',
    body: 'json',
    bodySchema: NAMES,
    example: { userID: DEMO_USER },
    reply: PROFILE_REPLY,
    refusals: ['identifier_missing', 'profile_not_found'],
    handler: readUser,
  },
  {
    ...PROFILES,
    method: 'POST',
    path: '/api/v1/user/profile',
    summary: 'Lists the profiles that did an event in a stretch of time',
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
    summary: 'Counts the profiles that did an event in a stretch of time',
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
    summary: `Erases up to ${PROFILE_LIMITS.entriesMax} people`,
    description:
      'Profiles, names, devices and what waits to be sent to them are gone with the reply; events and the rest follow within moments. A later event for the same name makes a new profile.',
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
    summary: 'Undoes a merge of two profiles',
    description: 'What the merge moved goes back; what was written since then stays with the survivor.',
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

/** What the web SDK calls. A publishable key can do this and nothing else, and none of it reads. */
const OPEN_VISITOR: Route = {
  ...WEB,
  path: '/api/v1/visitors',
  summary: 'Gives a browser a name',
  description:
    'With a publishable key, as a header or as ?key=, from an allowed origin. The reply also has the key with which the browser subscribes to pushes.',
  body: 'none',
  reply: Type.Object({ visitor: VISITOR_VIEW, push_key: Type.String() }),
  refusals: ['origin_not_allowed'],
  handler: openVisitor,
}

const TOKEN_WORDS = 'the token that POST /api/v1/visitors gave'

export const VISITOR_ROUTES: readonly Route[] = [
  OPEN_VISITOR,
  {
    ...WEB,
    path: '/api/v1/visitors/commands',
    summary: 'Takes what a browser has to tell',
    description:
      'Whom it is about is the visitor, and nobody else can be named. All of it is committed, in its order, before the reply.',
    body: 'json',
    bodyBytesMax: VISITOR_LIMITS.bodyBytesMax,
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
    refusals: ['origin_not_allowed', 'visitor_invalid', 'user_unverified', 'too_many_entries'],
    handler: runCommands,
  },
]
