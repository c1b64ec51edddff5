import type { PoolLimits } from './pool-limits.ts'
import type { OnAnswer, ProviderRequest } from './transport.ts'

/** One open connection, of HTTP/1.1 or HTTP/2. `RoutePool` asks how many requests it can take before it sends one. */
export type Connection = {
  /** Whether the connection carries many requests at once. */
  readonly isShared: boolean
  /** How many more requests the connection takes now. */
  readonly room: () => number
  /** False once the connection is retired, though its last answers may still come. */
  readonly isOpen: () => boolean
  readonly send: (request: ProviderRequest, onAnswer: OnAnswer) => void
  /** Takes no more requests, and closes after the last answer. */
  readonly retire: () => void
  /** Closes now; requests under way are answered as lost. */
  readonly destroy: () => void
}

export type ConnectionSetup = {
  readonly origin: string
  readonly limits: PoolLimits
  readonly events: ConnectionEvents
}

/** Events that a connection reports to its route. */
export type ConnectionEvents = {
  /** The connection may have room again. A connection calls this each time that it gets room. */
  readonly onRoom: (connection: Connection) => void
  /** The connection is closed. */
  readonly onClose: (connection: Connection) => void
}
