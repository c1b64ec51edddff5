import type { RenderPayload } from '../domain/payload.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { Database } from '../store/db.ts'
import type { EventIntake } from './event-intake.ts'

/** What a handler may reach. `app.ts` makes one of these; tests bring their own clock and database. */
export type Deps = {
  readonly database: Database
  readonly clock: Clock
  /** Where events go, so that calls which come together share a commit. */
  readonly intake: EventIntake
  readonly log: Log
  /** Web push services that the operator allows beside the known ones. */
  readonly pushHosts: ReadonlySet<string>
  /** What a provider would be given of a message. */
  readonly renderPayload: RenderPayload
  /** Where this process measures itself. */
  readonly metrics: Metrics
  /** The Prometheus text of all processes behind this address, or of this one if it stands alone. */
  readonly renderMetrics: () => Promise<string>
}
