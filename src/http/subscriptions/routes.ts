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
    summary: 'Import subscriptions',
    description:
      'Send NDJSON, one registration on each line, or CSV with the columns platform, token, endpoint, p256dh, auth, ' +
      'user_id, subscription_id, android_id, ios_ifv, tags (separated by semicolons), time_zone, language, browser, ' +
      'app_version and environment. The reply is NDJSON: a line of progress for every batch, and the report as the ' +
      'last line. Bad rows are refused one by one; unknown fields and columns are ignored and named. Importing a list ' +
      'twice changes nothing. An import does not make an unsubscribed or dead device live again.',
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
    summary: 'Register a device or browser',
    description:
      'One device is one subscription. A known token, endpoint or device id updates it, moves it to the given user, and ' +
      'makes it live again. Absent fields do not change.',
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
    summary: 'List subscriptions',
    description:
      'Oldest first. The filter by tag sees the tags of the subscription only; a segment also sees those of the person.',
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
    summary: 'Read a subscription',
    body: 'none',
    reply: ONE,
    refusals: ['subscription_not_found'],
    handler: readDevice,
  },
  {
    ...FACTS,
    method: 'PATCH',
    path: `${PATH}/{subscription_id}`,
    summary: 'Change a subscription',
    description: 'Only the given fields change. `user_id` moves the device to that person; null logs it out.',
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
    summary: 'Unsubscribe a device',
    description: 'The device gets no more pushes. It becomes live again when it registers again.',
    body: 'none',
    reply: ONE,
    refusals: ['subscription_not_found'],
    handler: unsubscribeDevice,
  },
]
