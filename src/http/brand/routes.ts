import { PLATFORM_NAMES, type Platform } from '../../rules/platforms.ts'
import { BRAKE_RULES } from '../../rules/push.ts'
import type { TenantRequest } from '../request.ts'
import type { Handler, Route } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { NEXT_CURSOR } from '../schema/view.ts'
import {
  AUDIT_EXPORT_QUERY,
  AUDIT_FORMS,
  AUDIT_QUERY,
  AUDIT_VIEW,
  exportAudit,
  listAuditLines,
} from './audit.ts'
import {
  ANDROID_CHANNEL,
  BRAKE_BODY,
  BRAND_CHANGES,
  CHANNEL_TEST_BODY,
  IOS_CHANNEL,
  KEY_DRAFT,
  WEB_CHANNEL,
} from './body.ts'
import { changeBrand, makeIdentityKey, readBrand } from './brand.ts'
import {
  listChannels,
  readChannel,
  readPushKey,
  releaseBrake,
  removeChannel,
  setChannel,
  testChannel,
} from './channels.ts'
import { createBrandKey, KEY_QUERY, listBrandKeys, revokeBrandKey } from './keys.ts'
import {
  BRAND_CHANGE_REPLY,
  BRAND_REPLY,
  CHANNEL_TEST_REPLY,
  CHANNEL_VIEW,
  KEY_FIELDS,
  KEY_SHOWN_ONCE,
} from './view.ts'

const KEYS = { group: 'Keys', scopes: ['brand', 'keys'] } as const
const CHANNELS = { group: 'Channels', scopes: ['brand', 'keys'] } as const
const CHANNELS_PATH = '/api/v1/brand/channels'
const ONE_CHANNEL = Type.Object({ channel: CHANNEL_VIEW })

const CHANNEL_BODIES = { android: ANDROID_CHANNEL, ios: IOS_CHANNEL, web: WEB_CHANNEL } as const

const CHANNEL_EXAMPLES: Readonly<Record<Platform, object>> = {
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

export const BRAND_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/brand',
    group: 'Brand',
    summary: 'Read the settings of the brand',
    scopes: ['brand'],
    body: 'none',
    reply: BRAND_REPLY,
    handler: readBrand,
  },
  {
    method: 'PATCH',
    path: '/api/v1/brand',
    group: 'Brand',
    summary: 'Change the settings of the brand',
    description: 'Only the given fields change. Every process uses them within three seconds.',
    scopes: ['brand'],
    body: 'json',
    bodySchema: BRAND_CHANGES,
    reply: BRAND_CHANGE_REPLY,
    example: { name: 'Acme', time_zone: 'Europe/Berlin' },
    handler: changeBrand,
  },
  {
    ...KEYS,
    method: 'GET',
    path: '/api/v1/brand/keys',
    summary: 'List API keys',
    description: 'In the order of creation, with the revoked ones. The keys themselves are not shown.',
    body: 'none',
    querySchema: KEY_QUERY,
    reply: Type.Object({
      keys: Type.Array(Type.Object(KEY_FIELDS)),
      ...NEXT_CURSOR,
    }),
    handler: listBrandKeys,
  },
  {
    ...KEYS,
    method: 'POST',
    path: '/api/v1/brand/keys',
    summary: 'Create an API key',
    needsProof: true,
    description: 'Only this reply shows the key; Beckon stores its hash.',
    body: 'json',
    isIdempotent: true,
    bodySchema: KEY_DRAFT,
    reply: Type.Object({ key: Type.Object({ ...KEY_FIELDS, api_key: KEY_SHOWN_ONCE }) }),
    example: { kind: 'secret', label: 'checkout service', scopes: ['push', 'events'] },
    refusals: ['scope_missing'],
    handler: createBrandKey,
  },
  {
    ...KEYS,
    method: 'POST',
    path: '/api/v1/brand/keys/{id}/revoke',
    summary: 'Revoke an API key',
    description: 'A revoked key cannot be restored. Every process refuses it at once.',
    body: 'none',
    reply: Type.Object({ key: Type.Object(KEY_FIELDS) }),
    refusals: ['key_not_found'],
    handler: revokeBrandKey,
  },
  {
    method: 'POST',
    path: '/api/v1/brand/identity-key',
    group: 'Brand',
    summary: 'Create the identity key',
    needsProof: true,
    description:
      'Your server computes user_hash, the HMAC-SHA256 of the userID with this key in hexadecimal, and gives it to the page. With identity_verification on the brand, a page cannot claim another userID. Only this reply shows the key. It replaces the previous one.',
    scopes: ['brand', 'keys'],
    body: 'none',
    reply: Type.Object({ identity_key: Type.String() }),
    handler: makeIdentityKey,
  },
  {
    ...CHANNELS,
    method: 'GET',
    path: CHANNELS_PATH,
    summary: 'List channels and their state',
    body: 'none',
    reply: Type.Object({ channels: Type.Array(CHANNEL_VIEW) }),
    handler: listChannels,
  },
  ...PLATFORM_NAMES.flatMap(platformRoutes),
  {
    group: 'Channels',
    scopes: ['subscriptions', 'brand'],
    method: 'GET',
    path: '/api/v1/web-push-key',
    summary: 'Read the public VAPID key',
    body: 'none',
    reply: Type.Object({ public_key: Type.String() }),
    handler: readPushKey,
  },
]

type OfPlatform = (
  ...args: [...Parameters<Handler<TenantRequest>>, Platform]
) => ReturnType<Handler<TenantRequest>>

function platformRoutes(platform: Platform): readonly Route[] {
  const of =
    (handler: OfPlatform): Handler<TenantRequest> =>
    async (deps, request) =>
      handler(deps, request, platform)
  return [...credentialRoutes(platform, of), ...healthRoutes(platform, of)]
}

type ForPlatform = (handler: OfPlatform) => Handler<TenantRequest>

function credentialRoutes(platform: Platform, of: ForPlatform): readonly Route[] {
  const path = `${CHANNELS_PATH}/${platform}`
  return [
    {
      ...CHANNELS,
      method: 'GET',
      path,
      summary: `Read the ${platform} channel and its state`,
      body: 'none',
      reply: ONE_CHANNEL,
      handler: of(readChannel),
    },
    {
      ...CHANNELS,
      method: 'PUT',
      path,
      needsProof: true,
      summary: `Set the credentials of the ${platform} channel`,
      description: 'They replace the previous ones. A paused channel continues with them.',
      body: 'json',
      bodySchema: CHANNEL_BODIES[platform],
      reply: ONE_CHANNEL,
      example: CHANNEL_EXAMPLES[platform],
      refusals: ['field_missing', 'field_invalid', 'field_conflict'],
      handler: of(setChannel),
    },
    {
      ...CHANNELS,
      method: 'DELETE',
      path,
      summary: `Remove the credentials of the ${platform} channel`,
      body: 'none',
      reply: ONE_CHANNEL,
      refusals: ['field_conflict'],
      handler: of(removeChannel),
    },
  ]
}

function healthRoutes(platform: Platform, of: ForPlatform): readonly Route[] {
  const path = `${CHANNELS_PATH}/${platform}`
  return [
    {
      ...CHANNELS,
      method: 'POST',
      path: `${path}/test`,
      rateLimit: 'trial',
      summary: `Send a test through the ${platform} channel`,
      description:
        'Sends to one device at once, even if the channel is paused. The reply shows the answer of the provider.',
      body: 'json',
      bodySchema: CHANNEL_TEST_BODY,
      reply: CHANNEL_TEST_REPLY,
      example: { subscription_id: 'the id that registering it gave' },
      refusals: ['subscription_not_found', 'channel_missing'],
      handler: of(testChannel),
    },
    {
      ...CHANNELS,
      method: 'POST',
      path: `${path}/brake`,
      summary: `Say what the brake of the ${platform} channel held back`,
      description: `The brake holds when many answers say that devices are dead (\`too_many_bad_addresses\`). \`restore\` makes the devices live again that were retired lately, at most ${BRAKE_RULES.restoredMax} with one call, the latest first. \`retire\` switches the brake off for an hour. Both end the pause, and messages that wait are sent.`,
      body: 'json',
      bodySchema: BRAKE_BODY,
      reply: Type.Object({
        restored: Type.Integer({ description: 'How many devices became live again.' }),
      }),
      example: { action: 'restore', hours: 24 },
      refusals: ['field_missing', 'field_invalid'],
      handler: of(releaseBrake),
    },
  ]
}

const AUDIT = { group: 'Audit', method: 'GET', scopes: ['audit:read'], body: 'none', lane: 'reads' } as const

export const AUDIT_ROUTES: readonly Route[] = [
  {
    ...AUDIT,
    path: '/api/v1/audit',
    summary: 'List changes and who made them',
    description:
      'Every change of settings, content, members and keys, and every export, erasure and merge of people, newest first. `before` and `after` have the fields that changed; secrets are hidden, and people are internal ids. docs/audit.md says more.',
    querySchema: AUDIT_QUERY,
    reply: Type.Object({ audit: Type.Array(AUDIT_VIEW), ...NEXT_CURSOR }),
    handler: listAuditLines,
  },
  {
    ...AUDIT,
    path: '/api/v1/audit/export',
    summary: 'Export the audit log',
    querySchema: AUDIT_EXPORT_QUERY,
    replyType: Object.values(AUDIT_FORMS).map(({ contentType }) => contentType),
    handler: exportAudit,
  },
]
