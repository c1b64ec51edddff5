import { IMPORT_LIMITS } from '../../rules/limits.ts'
import { LIST_ANSWER, NDJSON } from '../lists/answer.ts'
import type { Route } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { NEXT_CURSOR } from '../schema/view.ts'
import { IMPORT_QUERY, importDevices } from './import.ts'
import { registrationSchema, subscriptionChangeSchema } from './schema.ts'
import {
  changeDevice,
  listDevices,
  readDevice,
  registerDevice,
  SUBSCRIPTION_QUERY,
  unsubscribeDevice,
} from './subscriptions.ts'
import { SUBSCRIPTION_VIEW } from './view.ts'

const FACTS = { group: 'Subscriptions', scopes: ['subscriptions'] } as const
const ONE = Type.Object({ subscription: SUBSCRIPTION_VIEW })
const PATH = '/api/v1/subscriptions'

export const SUBSCRIPTION_ROUTES: readonly Route[] = [
  {
    ...FACTS,
    method: 'POST',
    path: `${PATH}/import`,
    summary: 'Imports a list of devices',
    description:
      'Send NDJSON, one registration on each line, or CSV with the columns platform, token, endpoint, p256dh, auth, ' +
      'user_id, subscription_id, android_id, ios_ifv, tags (separated by semicolons), time_zone, language, browser, ' +
      'app_version and environment. The reply is NDJSON: a line of progress for every batch, and the report as the ' +
      'last line. Rows that cannot be are refused one by one; fields and columns that nobody knows are ignored and named. ' +
      'Importing a list twice changes nothing. A list brings ' +
      'back neither who unsubscribed nor an address that was found dead.',
    body: 'stream',
    bodyTypes: ['text/csv', 'application/x-ndjson'],
    bodyBytesMax: IMPORT_LIMITS.bytesMax,
    querySchema: IMPORT_QUERY,
    exampleQuery: { platform: 'android' },
    replyType: NDJSON,
    reply: LIST_ANSWER,
    refusals: ['unsupported_list', 'malformed_csv'],
    handler: importDevices,
  },
  {
    ...FACTS,
    method: 'POST',
    path: PATH,
    summary: 'Registers a device or browser',
    description:
      'One device is one subscription: the same token, endpoint or device id again updates it, moves it to the ' +
      'user who is named now, and makes it live again. What is left out stays as it was.',
    body: 'json',
    bodySchema: registrationSchema(),
    reply: ONE,
    example: { platform: 'android', token: 'token-that-FCM-gave-the-app', user_id: 'u-1', tags: ['vip'] },
    refusals: ['field_missing', 'field_invalid', 'field_conflict'],
    isIdempotent: true,
    handler: registerDevice,
  },
  {
    ...FACTS,
    method: 'GET',
    path: PATH,
    summary: 'Lists subscriptions',
    description: 'Oldest first. Tags of the person are not looked at here; a segment looks at both.',
    body: 'none',
    querySchema: SUBSCRIPTION_QUERY,
    reply: Type.Object({
      subscriptions: Type.Array(SUBSCRIPTION_VIEW),
      ...NEXT_CURSOR,
    }),
    handler: listDevices,
  },
  {
    ...FACTS,
    method: 'GET',
    path: `${PATH}/{subscription_id}`,
    summary: 'Reads one subscription',
    body: 'none',
    reply: ONE,
    refusals: ['subscription_not_found'],
    handler: readDevice,
  },
  {
    ...FACTS,
    method: 'PATCH',
    path: `${PATH}/{subscription_id}`,
    summary: 'Changes tags, facts or the person of a subscription',
    description: 'Only what is named changes. `user_id` moves the device to that person; null logs it out.',
    body: 'json',
    bodySchema: subscriptionChangeSchema(),
    reply: ONE,
    example: { tags: { add: ['vip'], remove: ['trial'] }, time_zone: 'Europe/Berlin' },
    refusals: ['subscription_not_found', 'field_too_long', 'field_conflict'],
    handler: changeDevice,
  },
  {
    ...FACTS,
    method: 'POST',
    path: `${PATH}/{subscription_id}/unsubscribe`,
    summary: 'Stops pushes to a device',
    description: 'It stays known, and becomes live again when it registers again.',
    body: 'none',
    reply: ONE,
    refusals: ['subscription_not_found'],
    handler: unsubscribeDevice,
  },
]
