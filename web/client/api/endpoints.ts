// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.

import type { AuditApi } from './audit.ts'
import type { BrandApi } from './brand.ts'
import type { BrandsApi } from './brands.ts'
import type { CampaignsApi } from './campaigns.ts'
import type { CatalogueApi } from './catalogue.ts'
import type { ChannelsApi } from './channels.ts'
import type { EventsApi } from './events.ts'
import type { HealthApi } from './health.ts'
import type { JourneysApi } from './journeys.ts'
import type { KeysApi } from './keys.ts'
import type { LiveApi } from './live.ts'
import type { MembersApi } from './members.ts'
import type { NotificationsApi } from './notifications.ts'
import type { PreferencesApi } from './preferences.ts'
import type { ProfilesApi } from './profiles.ts'
import type { PushApi } from './push.ts'
import type { ReceiptsApi } from './receipts.ts'
import type { SandboxApi } from './sandbox.ts'
import type { SegmentsApi } from './segments.ts'
import type { SeriesApi } from './series.ts'
import type { SubscriptionsApi } from './subscriptions.ts'
import type { TemplatesApi } from './templates.ts'
import type { TopicsApi } from './topics.ts'
import type { VirtualDevicesApi } from './virtual-devices.ts'
import type { WebApi } from './web.ts'
import type { WebhooksApi } from './webhooks.ts'

/** Every endpoint of Beckon: what it takes, and what it replies when it succeeds. */
export type Api = PushApi &
  NotificationsApi &
  ReceiptsApi &
  EventsApi &
  SeriesApi &
  LiveApi &
  ProfilesApi &
  SubscriptionsApi &
  VirtualDevicesApi &
  WebApi &
  SegmentsApi &
  CatalogueApi &
  TemplatesApi &
  JourneysApi &
  CampaignsApi &
  WebhooksApi &
  TopicsApi &
  PreferencesApi &
  BrandApi &
  KeysApi &
  ChannelsApi &
  BrandsApi &
  AuditApi &
  MembersApi &
  SandboxApi &
  HealthApi

/** They take an Idempotency-Key, so trying again is safe whatever became of the first try. */
export const GUARDED: ReadonlySet<string> = new Set([
  'POST /api/v1/android/send',
  'POST /api/v1/android/broadcast/all',
  'POST /api/v1/android/broadcast/segment',
  'POST /api/v1/ios/send',
  'POST /api/v1/ios/broadcast/all',
  'POST /api/v1/ios/broadcast/segment',
  'POST /api/v1/web/send',
  'POST /api/v1/web/broadcast/all',
  'POST /api/v1/web/broadcast/segment',
  'POST /api/event',
  'POST /api/v1/user/create',
  'POST /api/v1/user_event/create',
  'POST /api/v1/subscriptions',
  'POST /api/v1/virtual-devices',
  'POST /api/v1/segments',
  'POST /api/v1/templates',
  'POST /api/v1/templates/{template_id}/duplicate',
  'POST /api/v1/snippets',
  'POST /api/v1/journeys',
  'POST /api/v1/campaigns',
  'POST /api/v1/campaigns/{campaign_id}/duplicate',
  'POST /api/v1/campaigns/{campaign_id}/test',
  'POST /api/v1/campaigns/{campaign_id}/launch',
  'POST /api/v1/webhooks',
  'POST /api/v1/topics',
  'POST /api/v1/brand/keys',
])

/** Their reply is handed over as it comes. */
export const STREAMED: ReadonlySet<string> = new Set([
  'GET /api/v1/events/export',
  'GET /api/v1/events/tail',
  'GET /api/v1/live',
  'POST /api/v1/subscriptions/import',
  'GET /sdk.js',
  'GET /sdk.{hash}.js',
  'GET /sdk.mjs',
  'GET /sdk.{hash}.mjs',
  'GET /sdk.d.ts',
  'GET /sdk.{hash}.d.ts',
  'GET /preferences.mjs',
  'GET /preferences.{hash}.mjs',
  'GET /sw.js',
  'GET /sw.{hash}.js',
  'POST /api/v1/segments/{segment_id}/import',
  'GET /api/v1/instance/audit/export',
  'GET /api/v1/audit/export',
  'GET /metrics',
])
