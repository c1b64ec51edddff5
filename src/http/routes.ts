import { AUDIT_ROUTES, BRAND_ROUTES } from './brand/routes.ts'
import { CAMPAIGN_ROUTES } from './campaigns/routes.ts'
import { CATALOGUE_ROUTES } from './catalogue/routes.ts'
import { EVENT_ROUTES } from './events/routes.ts'
import { HEALTH_ROUTES } from './health/health.ts'
import { SANDBOX_ROUTES } from './health/sandbox.ts'
import { INSTANCE_ROUTES } from './instance/routes.ts'
import { JOURNEY_ROUTES } from './journeys/routes.ts'
import { LIVE_ROUTES } from './live/routes.ts'
import { DASHBOARD_ROUTES } from './pages/dashboard.ts'
import { DEMO_ROUTES } from './pages/demo.ts'
import { SCRIPT_ROUTES } from './pages/script-routes.ts'
import { PEOPLE_ROUTES, VISITOR_ROUTES } from './people/routes.ts'
import { PREFERENCE_PAGE_ROUTES, PREFERENCE_ROUTES, TOPIC_ROUTES } from './preferences/routes.ts'
import { NOTIFICATION_ROUTES, PUSH_ROUTES, RECEIPT_ROUTES } from './push/routes.ts'
import { referenceRoutes } from './reference/routes.ts'
import type { Route } from './route.ts'
import { SEGMENT_ROUTES } from './segments/routes.ts'
import { SERIES_ROUTES } from './series/routes.ts'
import { SUBSCRIPTION_ROUTES, VIRTUAL_DEVICE_ROUTES } from './subscriptions/routes.ts'
import { AUTH_ROUTES, TEAM_ROUTES } from './team/routes.ts'
import { TEMPLATE_ROUTES } from './templates/routes.ts'
import { WEBHOOK_ROUTES } from './webhooks/routes.ts'

/** The endpoints that `/docs` and `/openapi.json` describe, in that order. Each noun keeps its rows in its own file. */
export const ENDPOINTS: readonly Route[] = [
  ...PUSH_ROUTES,
  ...NOTIFICATION_ROUTES,
  ...RECEIPT_ROUTES,
  ...EVENT_ROUTES,
  ...SERIES_ROUTES,
  ...LIVE_ROUTES,
  ...PEOPLE_ROUTES,
  ...SUBSCRIPTION_ROUTES,
  ...VIRTUAL_DEVICE_ROUTES,
  ...VISITOR_ROUTES,
  ...SCRIPT_ROUTES,
  ...SEGMENT_ROUTES,
  ...CATALOGUE_ROUTES,
  ...TEMPLATE_ROUTES,
  ...JOURNEY_ROUTES,
  ...CAMPAIGN_ROUTES,
  ...WEBHOOK_ROUTES,
  ...TOPIC_ROUTES,
  ...PREFERENCE_ROUTES,
  ...BRAND_ROUTES,
  ...INSTANCE_ROUTES,
  ...TEAM_ROUTES,
  ...AUDIT_ROUTES,
  ...SANDBOX_ROUTES,
  ...HEALTH_ROUTES,
]

/** Every address there is. */
export const ROUTES: readonly Route[] = [
  ...ENDPOINTS,
  ...PREFERENCE_PAGE_ROUTES,
  ...AUTH_ROUTES,
  ...DEMO_ROUTES,
  ...DASHBOARD_ROUTES,
  ...referenceRoutes(ENDPOINTS),
]
