import type { Clock } from '../runtime/clock.ts'
import type { Database } from '../store/db.ts'

/** What a handler may reach. `app.ts` makes one of these; tests bring their own clock and database. */
export type Deps = {
  readonly database: Database
  readonly clock: Clock
}
