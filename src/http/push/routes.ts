import { DEMO_USER } from '../../rules/brand.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import { PUSH_MODE_NAMES, PUSH_MODES, RECEIPT_KINDS, RECEIPTS_BYTES_MAX } from '../../rules/push.ts'
import { INBOX_ROUTE } from '../health/sandbox.ts'
import type { Route, TenantRoute } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { DELIVERY_QUERY } from './delivery-query.ts'
import { type PushAddress, pushBodySchema } from './field-rules.ts'
import { NOTIFICATION_QUERY } from './notification-query.ts'
import { cancel, readDeliveries, readNotification, readNotifications, readReasons } from './notifications.ts'
import { acceptPush } from './push.ts'
import { RECEIPT_BODY, readReceipts, takeReceipts } from './receipts.ts'
import { ACCEPTED, DELIVERY_PAGE, DELIVERY_REASON_LIST, NOTIFICATION_PAGE, ONE_NOTIFICATION } from './view.ts'

const PLATFORM_TITLES = { android: 'Android', ios: 'iOS', web: 'Web' } as const

const EXAMPLES = {
  send: { user_id: DEMO_USER, title: 'Your order is on its way', message: 'It arrives tomorrow.' },
  all: { title: 'We are open again', message: 'Come and see what is new.' },
  segment: { segment_id: 42, title: 'For you', message: 'Thank you for a year with us.' },
} as const

const REFUSALS = {
  send: ['subscriber_not_found', 'no_live_subscription', 'identifiers_disagree', 'payload_too_large'],
  all: ['payload_too_large'],
  segment: ['segment_not_found', 'payload_too_large'],
} as const

const CONTENT_REFUSALS = [
  'unknown_field',
  'topic_unknown',
  'template_invalid',
  'template_not_found',
  'template_unfit',
  'schedule_in_past',
] as const

/** Three modes on three platforms. */
export const PUSH_ROUTES: readonly Route[] = PLATFORM_NAMES.flatMap((platform) =>
  PUSH_MODE_NAMES.map((mode) => pushRoute({ platform, mode })),
)

function pushRoute(address: PushAddress): TenantRoute {
  const { platform, mode } = address
  const { path, summary } = PUSH_MODES[mode]
  return {
    method: 'POST',
    path: `/api/v1/${platform}/${path}`,
    group: 'Push',
    summary: `${summary} (${PLATFORM_TITLES[platform]})`,
    scopes: ['push'],
    body: 'json',
    bodySchema: pushBodySchema(address),
    reply: ACCEPTED,
    example: EXAMPLES[mode],
    rateLimit: 'push',
    // A broadcast counts its audience, so it takes the slow lane.
    ...(mode === 'send' ? {} : { lane: 'sends' }),
    isIdempotent: true,
    refusals: [...CONTENT_REFUSALS, ...REFUSALS[mode]],
    handler: async (deps, request) => acceptPush(deps, request, address),
  }
}

const NOTIFICATION = { group: 'Notifications', scopes: ['push'], body: 'none' } as const

const NOTIFICATION_LIST: Route = {
  ...NOTIFICATION,
  method: 'GET',
  path: '/api/v1/notifications',
  summary: 'List notifications',
  description: 'Newest first, each with its counts, receipts and rates.',
  querySchema: NOTIFICATION_QUERY,
  lane: 'reads',
  reply: NOTIFICATION_PAGE,
  handler: readNotifications,
}

/** The curl lines about one notification take the newest. */
const NEWEST = { route: NOTIFICATION_LIST, member: 'id', pick: 'first', replaces: '<id>' } as const

export const NOTIFICATION_ROUTES: readonly Route[] = [
  NOTIFICATION_LIST,
  {
    ...NOTIFICATION,
    method: 'GET',
    path: '/api/v1/notifications/{id}',
    summary: 'Read a notification with its present counts',
    reply: ONE_NOTIFICATION,
    exampleFrom: NEWEST,
    refusals: ['notification_not_found'],
    handler: readNotification,
  },
  {
    ...NOTIFICATION,
    method: 'GET',
    path: '/api/v1/notifications/{id}/deliveries',
    summary: 'List the deliveries of a notification',
    querySchema: DELIVERY_QUERY,
    reply: DELIVERY_PAGE,
    exampleFrom: NEWEST,
    refusals: ['notification_not_found'],
    handler: readDeliveries,
  },
  {
    ...NOTIFICATION,
    method: 'GET',
    path: '/api/v1/notifications/{id}/reasons',
    summary: 'Count why messages of a notification did not arrive',
    description:
      'How many devices have each reason, the most frequent first. Devices that a push service accepted, and those that were not tried yet, are left out.',
    reply: DELIVERY_REASON_LIST,
    exampleFrom: NEWEST,
    refusals: ['notification_not_found'],
    handler: readReasons,
  },
  {
    ...NOTIFICATION,
    method: 'POST',
    path: '/api/v1/notifications/{id}/cancel',
    summary: 'Cancel a notification',
    description: 'Before or while it is sent. Messages that a provider already has cannot be taken back.',
    reply: ONE_NOTIFICATION,
    refusals: ['notification_not_found', 'notification_final'],
    handler: cancel,
  },
]

const TOKEN_WORDS = 'the token in the message'

export const RECEIPT_ROUTES: readonly Route[] = [
  {
    group: 'Receipts',
    method: 'POST',
    path: '/api/v1/receipts',
    scopes: null,
    cors: 'anyone',
    summary: 'Report receipts',
    description:
      'For devices. It needs no key, because each message has a signed token. Each kind counts once for a delivery.',
    body: 'json',
    bodyBytesMax: RECEIPTS_BYTES_MAX,
    rateLimit: 'receipt',
    bodySchema: RECEIPT_BODY,
    reply: Type.Object({ counted: Type.Integer({ description: 'How many were new.' }) }),
    example: { receipts: [{ receipt: TOKEN_WORDS, kind: 'clicked' }] },
    exampleFrom: { route: INBOX_ROUTE, member: 'receipt', pick: 'last', replaces: TOKEN_WORDS },
    refusals: ['receipt_invalid', 'receipt_expired'],
    handler: takeReceipts,
  },
  {
    group: 'Receipts',
    method: 'GET',
    path: '/api/v1/notifications/{id}/receipts',
    scopes: ['push'],
    summary: 'Count the receipts of a notification',
    body: 'none',
    reply: Type.Object({
      receipts: Type.Object(Object.fromEntries(RECEIPT_KINDS.map((kind) => [kind, Type.Integer()]))),
    }),
    exampleFrom: NEWEST,
    refusals: ['notification_not_found'],
    handler: readReceipts,
  },
]
