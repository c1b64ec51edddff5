import { HEALTH_ROUTES } from './health.ts'
import type { Route } from './route.ts'

/** Every endpoint there is. Each noun keeps its rows in its own file. */
export const ROUTES: readonly Route[] = [...HEALTH_ROUTES]
