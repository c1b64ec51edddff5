import { DEMO_USER } from '../../rules/brand.ts'
import { IMPORT_LIMITS } from '../../rules/limits.ts'
import { VIRTUAL_LIMITS } from '../../rules/virtual-devices.ts'
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
import {
  DISMISS_BODY,
  deleteVirtualDevice,
  dismissVirtualMessage,
  listAllVirtualDevices,
  makeVirtualDevice,
  TAP_BODY,
  tapVirtualMessage,
  VIRTUAL_BODY,
} from './virtual-devices.ts'
import { VIRTUAL_DEVICE_VIEW, VIRTUAL_MESSAGE_VIEW } from './virtual-view.ts'

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

const VIRTUAL = 'Virtual devices'
const VIRTUAL_PATH = '/api/v1/virtual-devices'
const VIRTUAL_ONE = `${VIRTUAL_PATH}/{subscription_id}`
const REPORT = Type.Object({
  counted: Type.Integer({ description: 'How many receipts were new.' }),
  message: VIRTUAL_MESSAGE_VIEW,
})
const REPORT_REFUSALS = ['virtual_device_not_found', 'virtual_message_not_found', 'sandbox_missing'] as const
const EXAMPLE_MESSAGE = '01939f9e-0000-7000-8000-000000000000'

export const VIRTUAL_DEVICE_ROUTES: readonly Route[] = [
  {
    group: VIRTUAL,
    scopes: ['subscriptions'],
    method: 'POST',
    path: VIRTUAL_PATH,
    summary: 'Create a virtual device',
    description:
      'A phone or a browser that exists only in the sandbox, registered as a subscription like any other. Its messages ' +
      'go to the sandbox, whatever credentials the brand has. Broadcasts, campaigns and segments leave it out, unless ' +
      `include_virtual_devices is true; a push to its person or its subscription_id reaches it. A brand may have ${VIRTUAL_LIMITS.devicesMax}.`,
    body: 'json',
    bodySchema: VIRTUAL_BODY,
    reply: Type.Object({ virtual_device: VIRTUAL_DEVICE_VIEW }),
    example: { kind: 'iphone', user_id: DEMO_USER },
    refusals: ['sandbox_missing', 'too_many_virtual_devices'],
    isIdempotent: true,
    handler: makeVirtualDevice,
  },
  {
    group: VIRTUAL,
    scopes: ['push'],
    method: 'GET',
    path: VIRTUAL_PATH,
    summary: 'List virtual devices with their messages',
    description: `Oldest first, each with its newest ${VIRTUAL_LIMITS.messagesMax} messages as the device shows them. A message that another one has replaced is not among them, and a restart of the sandbox forgets all messages.`,
    body: 'none',
    reply: Type.Object({ virtual_devices: Type.Array(VIRTUAL_DEVICE_VIEW) }),
    refusals: ['sandbox_missing'],
    handler: listAllVirtualDevices,
  },
  {
    group: VIRTUAL,
    scopes: ['push'],
    method: 'POST',
    path: `${VIRTUAL_ONE}/tap`,
    summary: 'Tap a message on a virtual device',
    description:
      'Reports the receipts that an app or the service worker reports for a tap, so that it counts as a click, once.',
    body: 'json',
    bodySchema: TAP_BODY,
    reply: REPORT,
    example: { message_id: EXAMPLE_MESSAGE },
    refusals: REPORT_REFUSALS,
    handler: tapVirtualMessage,
  },
  {
    group: VIRTUAL,
    scopes: ['push'],
    method: 'POST',
    path: `${VIRTUAL_ONE}/dismiss`,
    summary: 'Dismiss a message on a virtual device',
    body: 'json',
    bodySchema: DISMISS_BODY,
    reply: REPORT,
    example: { message_id: EXAMPLE_MESSAGE },
    refusals: REPORT_REFUSALS,
    handler: dismissVirtualMessage,
  },
  {
    group: VIRTUAL,
    scopes: ['subscriptions'],
    method: 'DELETE',
    path: VIRTUAL_ONE,
    summary: 'Delete a virtual device',
    description: 'The subscription goes too. The results of what was sent to it stay.',
    body: 'none',
    reply: Type.Object({}),
    refusals: ['virtual_device_not_found'],
    handler: deleteVirtualDevice,
  },
]
