import type { Metrics } from '../runtime/metrics.ts'
import type { BringEvents } from './bringing.ts'
import type { SessionOptions } from './session-settings.ts'

export type DatabaseOptions = SessionOptions & {
  readonly connectionsMax: number
  /** Servers for reads that may be a little old, and how old; without it, the primary. */
  readonly readUrl?: string
  readonly readLagMaxMs?: number
  /** Called whenever the primary did what was asked of it. */
  readonly onAnswer?: () => void
  /** Where the pools and the commits are measured; nowhere, if absent. */
  readonly metrics?: Metrics
  /** Brings events whose rows are dropped, in the transaction that needs them. Without it, no row is ever dropped. */
  readonly bringEvents?: BringEvents
}
