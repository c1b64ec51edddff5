import { type Api, GUARDED, STREAMED } from './api/endpoints.ts'
import { encodeJson, parseJson } from './json.ts'
import { type Outgoing, send } from './request.ts'
import { type Lost, type Tracked, type TrackedEvent, Tracker } from './tracker.ts'

/** A program's way to Beckon: every endpoint with its types, and events in batches. */
export class Client {
  readonly #options: Required<ClientOptions>
  readonly #tracker: Tracker
  readonly #flushAtEnd = (): void => {
    if (!this.#tracker.isIdle) void this.#tracker.finish()
  }

  constructor(options: ClientOptions) {
    this.#options = { ...DEFAULTS, onLost: warnOnce(), ...options }
    this.#tracker = new Tracker({
      delayMs: this.#options.trackDelayMs,
      batchMax: BATCH_MAX,
      waitingMax: this.#options.trackWaitingMax,
      onLost: this.#options.onLost,
      deadlineMs: this.#options.deadlineMs ?? TRACK_DEADLINE_MS,
      send: async (events, deadlineMs) => this.call('POST /api/event', { body: { nv: events }, deadlineMs }),
    })
    // A program that has nothing left to do still sends what waits; one that is stopped calls close().
    process.on('beforeExit', this.#flushAtEnd)
  }

  /**
   * Calls an endpoint by its method and address, and gives its reply; what is no JSON is given as the response itself.
   * Throws a `BeckonError` when it is refused, and `BeckonUnreachable` when there is no answer. What failed on the way
   * is tried again where that is safe; an Idempotency-Key makes it safe for every call that sends or creates something.
   */
  async call<Endpoint extends keyof Api>(
    endpoint: Endpoint,
    ...[input]: Arguments<Endpoint>
  ): Promise<Api[Endpoint]['reply']> {
    const response = await send(this.#outgoing(endpoint, { ...input }))
    const reply: Promise<Api[Endpoint]['reply']> = STREAMED.has(endpoint)
      ? Object(response)
      : response.text().then((text) => Object(parseJson(text)))
    return reply
  }

  /** Puts an event in the next batch. Resolves when Beckon has stored or refused it, and never rejects. */
  async track(event: TrackedEvent): Promise<Tracked> {
    return this.#tracker.track(event)
  }

  /** Sends the events that wait, and returns when they are settled. While Beckon is away each batch of 500 takes up to its deadline. */
  async flush(): Promise<void> {
    return this.#tracker.flush()
  }

  /** Flushes within the deadline of one batch, and lets go of the process. Call it when the program is told to stop. */
  async close(): Promise<void> {
    await this.#tracker.finish()
    process.off('beforeExit', this.#flushAtEnd)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #outgoing(endpoint: string, input: Input): Outgoing {
    const [method = '', template = ''] = endpoint.split(' ')
    const { key, url, attemptsMax, timeoutMs } = this.#options
    const { path = {}, query = {}, body, bodyType = 'application/json', idempotencyKey, signal } = input
    const { deadlineMs = this.#options.deadlineMs } = input
    const isGuarded = GUARDED.has(endpoint)
    return {
      url: `${url.replace(/\/$/, '')}${fill(template, path)}${encodeQuery(query)}`,
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': bodyType }),
        ...(isGuarded ? { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() } : {}),
      },
      body: wireBody(input),
      isSafe: isGuarded || SAFE_METHODS.has(method),
      attemptsMax,
      deadlineMs,
      // A stream may last for as long as somebody reads it.
      timeoutMs: STREAMED.has(endpoint) ? STREAM_MS_MAX : timeoutMs,
      signal,
    }
  }
}

export type ClientOptions = {
  /** Where Beckon is: `https://push.example.com`. */
  readonly url: string
  /** A secret API key. It knows its brand. */
  readonly key: string
  /** How often one call is tried, at most. It does not count for tracked events, nor for a call with `deadlineMs`. */
  readonly attemptsMax?: number
  /** How long one try may take. */
  readonly timeoutMs?: number
  /**
   * The time of one call with all its tries: the call is tried until this time is over. With null it is tried `attemptsMax` times.
   * A batch of tracked events, and `close()`, always have such a time: 60 s without this option or with null.
   */
  readonly deadlineMs?: number | null
  /** How long a tracked event waits for company. */
  readonly trackDelayMs?: number
  /** How many tracked events may wait; more are lost. */
  readonly trackWaitingMax?: number
  /** Called for every tracked event that Beckon did not store. Without it, the console shows each reason once. */
  readonly onLost?: (event: TrackedEvent, lost: Lost) => void
}

/** Options of every call, beside the fields of its endpoint. */
export type CallOptions = {
  /** Your own, so that also a second run of your program counts once. Without it each call gets a new one. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
  /** Instead of the client's own: how long this call may take with all its tries. */
  readonly deadlineMs?: number | null
}

type Arguments<Endpoint extends keyof Api> =
  Omit<Api[Endpoint], 'reply'> extends infer Takes
    ? object extends Takes
      ? [input?: Takes & CallOptions]
      : [input: Takes & CallOptions]
    : never

type Input = CallOptions & {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly bodyType?: string
}

const DEFAULTS = {
  attemptsMax: 5,
  timeoutMs: 30_000,
  deadlineMs: null,
  trackDelayMs: 1_000,
  trackWaitingMax: 10_000,
} as const
const BATCH_MAX = 500
/** Longer than a failover of the database, which takes up to 35 seconds. A program seldom waits for a tracked event. */
const TRACK_DEADLINE_MS = 60_000
const STREAM_MS_MAX = 24 * 3_600_000
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'PUT', 'DELETE'])

/** One line for each reason: a program with a wrong key would otherwise lose every event without a word. */
function warnOnce(): NonNullable<ClientOptions['onLost']> {
  const said = new Set<string>()
  return (_, lost) => {
    const { name, message } =
      lost.kind === 'refused' ? { name: lost.code, message: lost.message } : lost.error
    if (said.has(message) || said.size >= REASONS_MAX) return
    said.add(message)
    console.warn(`beckon: tracked events are not stored. ${name}: ${message}`)
  }
}

const REASONS_MAX = 20

function fill(template: string, path: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
}

function encodeQuery(query: NonNullable<Input['query']>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

function wireBody({ body, bodyType }: Input): Outgoing['body'] {
  if (body === undefined) return null
  const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream
  return bodyType !== undefined && isRaw ? body : encodeJson(body)
}
