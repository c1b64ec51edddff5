import { BRAND_ROUTES } from './brand.ts'
import { BRAND_KEY_ROUTES } from './brand-keys.ts'
import { HEALTH_ROUTES } from './health.ts'
import type { Route } from './route.ts'
import { SUBSCRIPTION_ROUTES } from './subscription-routes.ts'

/** Every endpoint there is. Each noun keeps its rows in its own file. */
export const ROUTES: readonly Route[] = [
  ...BRAND_ROUTES,
  ...BRAND_KEY_ROUTES,
  ...SUBSCRIPTION_ROUTES,
  ...HEALTH_ROUTES,
]
