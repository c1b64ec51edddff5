import type { PoolLimits } from './pool-limits.ts'
import type { ProviderAnswer, ProviderRequest } from './transport.ts'

/** One open connection, of either HTTP. The route asks it for room before it hands over a request. */
export type Connection = {
  /** Whether it carries many requests at once. */
  readonly isShared: boolean
  /** How many more requests it takes now. */
  readonly room: () => number
  /** False once it is on its way out; its last answers may still be coming. */
  readonly isOpen: () => boolean
  readonly send: (request: ProviderRequest, onAnswer: OnAnswer) => void
  /** Takes no more requests, and closes when the last answer is in. */
  readonly retire: () => void
  /** Closes now; requests under way are answered as lost. */
  readonly destroy: () => void
}

/** Called exactly once for each request. */
export type OnAnswer = (answer: ProviderAnswer) => void

export type ConnectionSetup = {
  readonly origin: string
  readonly limits: PoolLimits
  readonly events: ConnectionEvents
}

/** Events that a connection reports to its route. */
export type ConnectionEvents = {
  /** The connection may have room again. */
  readonly onRoom: () => void
  /** The connection is closed. */
  readonly onClose: (connection: Connection) => void
}
