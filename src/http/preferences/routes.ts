import { DEMO_USER } from '../../rules/brand.ts'
import { EVERYTHING, PREFERENCE_FORM_BYTES_MAX, PREFERENCE_LINK_DAYS } from '../../rules/topics.ts'
import { NAME_SCHEMAS } from '../events/schema.ts'
import type { Route } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT, NEXT_CURSOR } from '../schema/view.ts'
import {
  DEVICE_PREFERENCES_BODY,
  PERSON_BODY,
  PERSON_PREFERENCES_BODY,
  TOPIC_BODY,
  TOPIC_CHANGES,
  TOPIC_QUERY,
} from './body.ts'
import { listAllOptOuts, OPT_OUT_QUERY, OPT_OUT_VIEW } from './opt-outs.ts'
import { savePreferencePage, showPreferencePage } from './page.ts'
import {
  changeDevicePreferences,
  changePersonPreferences,
  makePreferenceLink,
  readDevicePreferences,
  readPersonPreferences,
} from './preferences.ts'
import { archiveOneTopic, changeOneTopic, createOneTopic, listAllTopics } from './topics.ts'
import { PREFERENCES_VIEW, TOPIC_VIEW } from './view.ts'

const FACTS = { group: 'Topics', scopes: ['brand'] } as const
const PATH = '/api/v1/topics'
const ONE = Type.Object({ topic: TOPIC_VIEW })

export const TOPIC_ROUTES: readonly Route[] = [
  {
    ...FACTS,
    method: 'POST',
    path: PATH,
    summary: 'Create a topic',
    description:
      'A topic is a kind of messages, such as offers, that a person can opt out of. A push names it in `topic`.',
    body: 'json',
    bodySchema: TOPIC_BODY,
    reply: ONE,
    example: {
      name: 'offers',
      title: 'Offers',
      description: 'Discounts and new goods, once a week at most.',
    },
    refusals: ['topic_exists', 'too_many_topics'],
    isIdempotent: true,
    handler: createOneTopic,
  },
  {
    ...FACTS,
    scopes: ['brand', 'push', 'profiles', 'journeys'],
    method: 'GET',
    path: PATH,
    summary: 'List topics',
    description: 'All topics of the brand by name, and transactional, which every brand has.',
    body: 'none',
    querySchema: TOPIC_QUERY,
    reply: Type.Object({ topics: Type.Array(TOPIC_VIEW) }),
    handler: listAllTopics,
  },
  {
    ...FACTS,
    method: 'PATCH',
    path: `${PATH}/{name}`,
    summary: 'Change a topic',
    description: 'Only the given fields change. The name stays, because opt-outs refer to it.',
    body: 'json',
    bodySchema: TOPIC_CHANGES,
    reply: ONE,
    example: { title: 'Offers and news' },
    refusals: ['topic_not_found'],
    handler: changeOneTopic,
  },
  {
    ...FACTS,
    method: 'POST',
    path: `${PATH}/{name}/archive`,
    summary: 'Archive a topic',
    description:
      'New pushes and journeys with it are refused. Pushes that were accepted before are still sent, and opt-outs hold.',
    body: 'none',
    reply: ONE,
    refusals: ['topic_not_found'],
    handler: archiveOneTopic,
  },
]

const PREFERENCES = { group: 'Preferences', reply: PREFERENCES_VIEW } as const
const PERSON_PATH = '/api/v1/user/preferences'
const DEVICE_PATH = '/api/v1/subscriptions/{subscription_id}/preferences'
const CHANGE_WORDS =
  'The list replaces the one before, and holds from the next message on, also for a broadcast that is being sent.'

export const PREFERENCE_ROUTES: readonly Route[] = [
  {
    group: 'Preferences',
    method: 'GET',
    path: '/api/v1/opt_outs',
    scopes: ['profiles'],
    summary: 'List opt-outs',
    description:
      'The opt-outs of people and devices that hold now, the newest first. One that was taken back is not in the list.',
    body: 'none',
    querySchema: OPT_OUT_QUERY,
    reply: Type.Object({ opt_outs: Type.Array(OPT_OUT_VIEW), ...NEXT_CURSOR }),
    lane: 'reads',
    handler: listAllOptOuts,
  },
  {
    ...PREFERENCES,
    method: 'GET',
    path: PERSON_PATH,
    scopes: ['profiles'],
    summary: 'Read the preferences of a person',
    body: 'none',
    querySchema: { type: 'object', properties: NAME_SCHEMAS },
    exampleQuery: { userID: DEMO_USER },
    refusals: ['identifier_missing', 'profile_not_found'],
    handler: readPersonPreferences,
  },
  {
    ...PREFERENCES,
    method: 'PUT',
    path: PERSON_PATH,
    scopes: ['profiles'],
    summary: 'Change the preferences of a person',
    description: CHANGE_WORDS,
    body: 'json',
    bodySchema: PERSON_PREFERENCES_BODY,
    example: { userID: DEMO_USER, opt_outs: [EVERYTHING] },
    refusals: ['identifier_missing', 'profile_not_found', 'topic_unknown'],
    handler: changePersonPreferences,
  },
  {
    ...PREFERENCES,
    method: 'GET',
    path: DEVICE_PATH,
    scopes: ['subscriptions'],
    summary: 'Read the preferences of a device',
    description: 'Only the opt-outs of this device; those of its person hold as well.',
    body: 'none',
    refusals: ['subscription_not_found'],
    handler: readDevicePreferences,
  },
  {
    ...PREFERENCES,
    method: 'PUT',
    path: DEVICE_PATH,
    scopes: ['subscriptions'],
    summary: 'Change the preferences of a device',
    description: CHANGE_WORDS,
    body: 'json',
    bodySchema: DEVICE_PREFERENCES_BODY,
    example: { opt_outs: [EVERYTHING] },
    refusals: ['subscription_not_found', 'topic_unknown'],
    handler: changeDevicePreferences,
  },
  {
    group: 'Preferences',
    method: 'POST',
    path: `${PERSON_PATH}/link`,
    scopes: ['profiles'],
    summary: 'Make a link to the preferences of a person',
    description: `A page of this host, for a mail or a menu of your app. Whoever has the link can see and change the topics of this person, and nothing else, for ${PREFERENCE_LINK_DAYS} days.`,
    body: 'json',
    bodySchema: PERSON_BODY,
    reply: Type.Object({ link: Type.Object({ url: Type.String(), expires_at: INSTANT }) }),
    example: { userID: DEMO_USER },
    refusals: ['identifier_missing', 'profile_not_found'],
    handler: makePreferenceLink,
  },
]

const PAGE = {
  group: 'Reference',
  path: '/preferences/{token}',
  scopes: null,
  rateLimit: 'receipt',
  replyType: 'text/html; charset=utf-8',
} as const

/** The page behind a signed link, for people and not for programs. */
export const PREFERENCE_PAGE_ROUTES: readonly Route[] = [
  { ...PAGE, method: 'GET', summary: 'The page of preferences', body: 'none', handler: showPreferencePage },
  {
    ...PAGE,
    method: 'POST',
    summary: 'The form of that page',
    body: 'form',
    bodyBytesMax: PREFERENCE_FORM_BYTES_MAX,
    handler: savePreferencePage,
  },
]
