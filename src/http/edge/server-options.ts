import { LIMITS } from '../../rules/limits.ts'
import { RATE_POLICIES, type RatePolicies } from './rate-limit.ts'

/** The bounds of one API process. Tests bring smaller ones. */
export type ServerOptions = {
  /** From the first byte of a request to the end of its headers. */
  readonly headersTimeoutMs: number
  /** From the end of the headers to the end of a JSON body. */
  readonly bodyTimeoutMs: number
  /** A whole request, streamed bodies included. */
  readonly requestTimeoutMs: number
  /** A connection on which nothing moves, either way. */
  readonly silenceTimeoutMs: number
  readonly keepAliveMs: number
  /** How often Node looks for connections that ran into a timeout. */
  readonly timeoutCheckMs: number
  readonly headerBytesMax: number
  readonly bodyBytesMax: number
  readonly ratePolicies: RatePolicies
  /** Trusted proxies in front of Beckon (BECKON_PROXY_HOPS), for rate limits by network. */
  readonly proxyHops: number
  /** Whether each request writes a line to the log (BECKON_REQUEST_LOG). */
  readonly logsRequests: boolean
  /** Open connections; one more is dropped. */
  readonly connectionsMax: number
  /** Requests in flight at once; one more is answered 503. */
  readonly inFlightMax: number
  /** How late the event loop may run before new requests are answered 503. */
  readonly loopDelayMaxMs: number
  /** With fewer requests in flight a new one is let in however late the loop runs: requests are not what made it late. */
  readonly lateInFlightMin: number
  /** How long a request of a slow lane (`Route.lane`) waits for its turn. After that its caller is told to come back. */
  readonly slowLaneWaitMs: number
  /** On stop: how long idle connections stay open for requests that are on their way. */
  readonly quietMs: number
  /** On stop: how long requests in flight may take. */
  readonly stopTimeoutMs: number
}

export const SERVER_DEFAULTS: ServerOptions = {
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  requestTimeoutMs: 10 * 60_000,
  silenceTimeoutMs: 2 * 60_000,
  keepAliveMs: 65_000,
  timeoutCheckMs: 1_000,
  headerBytesMax: 16 * 1024,
  bodyBytesMax: LIMITS.bodyBytesMax,
  ratePolicies: RATE_POLICIES,
  proxyHops: 0,
  logsRequests: true,
  connectionsMax: 8_192,
  inFlightMax: 512,
  loopDelayMaxMs: 500,
  lateInFlightMin: 8,
  slowLaneWaitMs: 10_000,
  quietMs: 300,
  stopTimeoutMs: 9_000,
}
