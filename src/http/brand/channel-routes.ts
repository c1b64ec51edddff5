import { PLATFORM_NAMES, type Platform } from '../../rules/platforms.ts'
import type { TenantRequest } from '../request.ts'
import type { Handler, Route } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { ANDROID_CHANNEL, IOS_CHANNEL, WEB_CHANNEL } from './channel-body.ts'
import { TEST_BODY, TEST_REPLY, testChannel } from './channel-test.ts'
import { CHANNEL } from './channel-view.ts'
import { listChannels, readChannel, readPushKey, removeChannel, setChannel } from './channels.ts'

const FACTS = { group: 'Channels', scopes: ['brand'] } as const
const PATH = '/api/v1/brand/channels'
const ONE = Type.Object({ channel: CHANNEL })

const BODIES = { android: ANDROID_CHANNEL, ios: IOS_CHANNEL, web: WEB_CHANNEL } as const

const EXAMPLES: Readonly<Record<Platform, object>> = {
  android: {
    service_account: {
      project_id: 'my-app',
      client_email: 'beckon@my-app.iam.gserviceaccount.com',
      private_key: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n',
    },
  },
  ios: {
    key_p8: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n',
    key_id: 'ABC123DEFG',
    team_id: 'DEF123GHIJ',
    bundle_id: 'com.example.app',
    environment: 'production',
  },
  web: { subject: 'mailto:push@example.com' },
}

export const CHANNEL_ROUTES: readonly Route[] = [
  {
    ...FACTS,
    method: 'GET',
    path: PATH,
    summary: 'Lists the brand’s channels and their health',
    body: 'none',
    reply: Type.Object({ channels: Type.Array(CHANNEL) }),
    handler: listChannels,
  },
  ...PLATFORM_NAMES.flatMap(platformRoutes),
  {
    group: 'Channels',
    scopes: ['subscriptions', 'brand'],
    method: 'GET',
    path: '/api/v1/web-push-key',
    summary: 'Reads the key a page subscribes its browser with',
    body: 'none',
    reply: Type.Object({ public_key: Type.String() }),
    handler: readPushKey,
  },
]

type OfPlatform = (
  ...args: [...Parameters<Handler<TenantRequest>>, Platform]
) => ReturnType<Handler<TenantRequest>>

function platformRoutes(platform: Platform): readonly Route[] {
  const path = `${PATH}/${platform}`
  const of =
    (handler: OfPlatform): Handler<TenantRequest> =>
    async (deps, request) =>
      handler(deps, request, platform)
  return [
    {
      ...FACTS,
      method: 'GET',
      path,
      summary: `Reads the ${platform} channel, without its secrets, and its health`,
      body: 'none',
      reply: ONE,
      handler: of(readChannel),
    },
    {
      ...FACTS,
      method: 'PUT',
      path,
      summary: `Sets the credentials of the ${platform} channel`,
      description: 'In place of those before; a paused channel goes on with them within a second.',
      body: 'json',
      bodySchema: BODIES[platform],
      reply: ONE,
      example: EXAMPLES[platform],
      refusals: ['field_missing', 'field_invalid', 'field_conflict'],
      handler: of(setChannel),
    },
    {
      ...FACTS,
      method: 'DELETE',
      path,
      summary: `Removes the credentials of the ${platform} channel`,
      body: 'none',
      reply: ONE,
      refusals: ['field_conflict'],
      handler: of(removeChannel),
    },
    {
      ...FACTS,
      method: 'POST',
      path: `${path}/test`,
      rateLimit: 'trial',
      summary: `Sends a test through the ${platform} channel`,
      description: 'To one device, at once and past any pause. The reply tells what the provider answered.',
      body: 'json',
      bodySchema: TEST_BODY,
      reply: TEST_REPLY,
      example: { subscription_id: 'the id that registering it gave' },
      refusals: ['subscription_not_found', 'channel_missing'],
      handler: of(testChannel),
    },
  ]
}
