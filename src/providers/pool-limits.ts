/** The bounds of every conversation with a provider. Tests shorten the times. */
export type PoolLimits = typeof POOL_LIMITS

export const POOL_LIMITS: {
  readonly answerBytesMax: number
  /** How long a provider may take over one request: a slow answer is better than a second message. */
  readonly answerMs: number
  /** How long the body of an answer may take after its status. */
  readonly bodyMs: number
  /** How long the body may take after a status below 300. The body of an acceptance tells nothing, and the body with a new token is small. */
  readonly acceptedBodyMs: number
  readonly connectMs: number
  /** How long `close` waits for answers. */
  readonly closeMs: number
  /** How long a request may wait for a free stream before it is given back unsent. */
  readonly waitMs: number
  readonly waitingMax: number
  readonly streamsMax: number
  readonly connectionsMax: number
  readonly routesMax: number
  /** How often a request that was certainly not processed goes out again before it is given back. */
  readonly triesMax: number
  readonly pingEveryMs: number
  readonly pingMs: number
  readonly idleMs: number
} = {
  answerBytesMax: 64 * 1024,
  answerMs: 30_000,
  bodyMs: 5_000,
  acceptedBodyMs: 250,
  connectMs: 5_000,
  closeMs: 10_000,
  waitMs: 30_000,
  waitingMax: 10_000,
  streamsMax: 1_000,
  connectionsMax: 4,
  routesMax: 4_096,
  triesMax: 5,
  pingEveryMs: 60_000,
  pingMs: 10_000,
  idleMs: 600_000,
}
