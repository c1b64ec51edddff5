import type { Route } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { SUBSCRIPTION_IMPORT_ROUTE } from './import-route.ts'
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
  SUBSCRIPTION_IMPORT_ROUTE,
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
      next_cursor: Type.Union([Type.String(), Type.Null()]),
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
