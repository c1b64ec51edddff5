import { join } from 'node:path'

/** Where tests keep the built dashboard, for the next test and the next run. */
export const DASHBOARD_FOLDER = join(import.meta.dirname, '../../../node_modules/.cache/dashboard')
