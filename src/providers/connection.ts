import type { PoolLimits } from './pool-limits.ts'
import type { Answer, ProviderRequest } from './transport.ts'

/** One open connection, of either HTTP. The route asks it for room before it hands over a request. */
export type Connection = {
  /** Whether it carries many requests at once. */
  readonly isShared: boolean
  /** How many more requests it takes now. */
  readonly room: () => number
  /** False once it is on its way out; its last answers may still be coming. */
  readonly isOpen: () => boolean
  readonly send: (request: ProviderRequest, settle: Settle) => void
  /** Takes no more requests, and closes when the last answer is in. */
  readonly retire: () => void
  /** Closes now; what is under way is settled as lost. */
  readonly destroy: () => void
}

/** Called exactly once. */
export type Settle = (answer: Answer) => void

export type Opening = {
  readonly origin: string
  readonly limits: PoolLimits
  readonly events: ConnectionEvents
}

/** What a connection tells its route. */
export type ConnectionEvents = {
  /** There may be room again. */
  readonly onRoom: () => void
  /** It is gone for good. */
  readonly onClose: (connection: Connection) => void
}
