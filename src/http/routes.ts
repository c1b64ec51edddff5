import { BRAND_ROUTES } from './brand.ts'
import { BRAND_KEY_ROUTES } from './brand-keys.ts'
import { CHANNEL_ROUTES } from './channel-routes.ts'
import { DEMO_ROUTES } from './demo.ts'
import { EVENT_ANALYTICS_ROUTES } from './event-analytics.ts'
import { EVENT_READ_ROUTES } from './event-reads.ts'
import { EVENT_STREAM_ROUTES } from './event-streams.ts'
import { EVENT_ROUTES } from './events.ts'
import { EXPLAIN_ROUTES } from './explain.ts'
import { HEALTH_ROUTES } from './health.ts'
import { IDENTITY_KEY_ROUTES } from './identity-key.ts'
import { JOURNEY_ROUTES } from './journey-routes.ts'
import { NOTIFICATION_ROUTES } from './notifications.ts'
import { PUSH_ROUTES } from './push.ts'
import { RECEIPT_ROUTES } from './receipts.ts'
import { referenceRoutes } from './reference/routes.ts'
import type { Route } from './route.ts'
import { SANDBOX_ROUTES } from './sandbox.ts'
import { SCRIPT_ROUTES } from './script-routes.ts'
import { SEGMENT_ROUTES } from './segment-routes.ts'
import { SUBSCRIPTION_ROUTES } from './subscription-routes.ts'
import { USER_CHANGE_ROUTES } from './user-changes.ts'
import { USER_READ_ROUTES } from './user-reads.ts'
import { USER_ROUTES } from './users.ts'
import { VISITOR_ROUTES } from './visitors.ts'
import { WEBHOOK_ROUTES } from './webhook-routes.ts'

/** What is described in `/docs` and `/openapi.json`, in that order. Each noun keeps its rows in its own file. */
export const ENDPOINTS: readonly Route[] = [
  ...PUSH_ROUTES,
  ...NOTIFICATION_ROUTES,
  ...RECEIPT_ROUTES,
  ...EVENT_ROUTES,
  ...EVENT_READ_ROUTES,
  ...EVENT_ANALYTICS_ROUTES,
  ...EVENT_STREAM_ROUTES,
  ...USER_ROUTES,
  ...USER_READ_ROUTES,
  ...USER_CHANGE_ROUTES,
  ...SUBSCRIPTION_ROUTES,
  ...VISITOR_ROUTES,
  ...SCRIPT_ROUTES,
  ...SEGMENT_ROUTES,
  ...JOURNEY_ROUTES,
  ...WEBHOOK_ROUTES,
  ...EXPLAIN_ROUTES,
  ...BRAND_ROUTES,
  ...BRAND_KEY_ROUTES,
  ...IDENTITY_KEY_ROUTES,
  ...CHANNEL_ROUTES,
  ...SANDBOX_ROUTES,
  ...HEALTH_ROUTES,
]

/** Every address there is. */
export const ROUTES: readonly Route[] = [...ENDPOINTS, ...DEMO_ROUTES, ...referenceRoutes(ENDPOINTS)]
