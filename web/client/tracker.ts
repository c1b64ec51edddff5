import type { EventsApi } from './api/events.ts'
import { BeckonError } from './failure.ts'

/** One event, as `POST /api/event` takes it. Without an `event_id` it gets one, so that a retry counts once. */
export type TrackedEvent = EventsApi['POST /api/event']['body']['nv'][number]

/** The result of a tracked event. A failure is a result and never thrown, so that no caller has to catch it. */
export type Tracked =
  | { readonly kind: 'stored' }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /** The event never reached Beckon: `error` is that of the last try, or says that too many were waiting or the program ended. */
  | { readonly kind: 'lost'; readonly error: Error }

/** The result of an event that Beckon did not store. */
export type Lost = Exclude<Tracked, { readonly kind: 'stored' }>

export type TrackerOptions = {
  /** `leftMs`: how long it may take with all its tries. */
  readonly send: (
    events: readonly TrackedEvent[],
    leftMs: number,
  ) => Promise<EventsApi['POST /api/event']['reply']>
  /** How long a batch may take; and so may all batches together, when the program ends. */
  readonly deadlineMs: number
  /** How long an event waits for company. */
  readonly delayMs: number
  readonly batchMax: number
  /** More than this many waiting are lost, so that an outage cannot fill the memory. */
  readonly waitingMax: number
  /** Called for every event that is not stored, because most callers do not look at the promise. */
  readonly onLost: (event: TrackedEvent, lost: Lost) => void
}

/** Gathers events into batches and sends them one after another, so that they arrive in the order they happened. */
export class Tracker {
  readonly #options: TrackerOptions
  readonly #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | null = null
  #sending: Promise<void> | null = null
  /** When the last batch must be settled; null while the program goes on. */
  #endAt: number | null = null

  constructor(options: TrackerOptions) {
    this.#options = options
  }

  async track(event: TrackedEvent): Promise<Tracked> {
    const { waitingMax, batchMax, delayMs } = this.#options
    if (this.#waiting.length >= waitingMax)
      return this.#settled(event, { kind: 'lost', error: new Error('too many events are waiting') })
    const { promise, resolve } = Promise.withResolvers<Tracked>()
    this.#waiting.push({ event: { event_id: crypto.randomUUID(), ...event }, resolve })
    if (this.#waiting.length >= batchMax) void this.flush()
    // The timer alone keeps no program alive: at its end, what waits is flushed (`client.ts`).
    else this.#timer ??= setTimeout(() => void this.flush(), delayMs).unref()
    return promise
  }

  /** Sends everything that waits, and returns when it is settled. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null
    })
    await this.#sending
    if (this.#waiting.length > 0) await this.flush()
  }

  /** The same when the program ends: all batches together have the time of one, and the events that are left then are lost. */
  async finish(): Promise<void> {
    this.#endAt ??= performance.now() + this.#options.deadlineMs
    await this.flush()
    this.#endAt = null
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#sending === null
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#options.batchMax)
      const outcomes = await this.#send(batch.map(({ event }) => event))
      for (const [index, { event, resolve }] of batch.entries())
        resolve(this.#settled(event, outcomes(index)))
    }
  }

  /** In a turn of its own, so that an error of `onLost` is the program's and not an error of tracking. */
  #settled(event: TrackedEvent, outcome: Tracked): Tracked {
    if (outcome.kind !== 'stored') queueMicrotask(() => this.#options.onLost(event, outcome))
    return outcome
  }

  /** Catching here keeps the promise that a tracked event never throws. */
  async #send(events: readonly TrackedEvent[]): Promise<(index: number) => Tracked> {
    const { send, deadlineMs } = this.#options
    const leftMs = this.#endAt === null ? deadlineMs : this.#endAt - performance.now()
    try {
      if (leftMs <= 0) throw new Error('the program ended while Beckon could not be reached')
      return outcomesOf(await send(events, leftMs))
    } catch (error) {
      // A batch with nothing good in it is refused as a whole, and still says why for each.
      if (error instanceof BeckonError && 'unprocessed' in error.reply) return outcomesOf(error.reply)
      const lost = { kind: 'lost', error: error instanceof Error ? error : new Error(String(error)) } as const
      return () => lost
    }
  }
}

type Waiting = { readonly event: TrackedEvent; readonly resolve: (outcome: Tracked) => void }

function outcomesOf({ unprocessed }: { readonly unprocessed?: unknown }): (index: number) => Tracked {
  const refused = new Map<unknown, Tracked>()
  for (const { index, code, message } of Array.isArray(unprocessed) ? unprocessed : []) {
    refused.set(index, { kind: 'refused', code: String(code), message: String(message) })
  }
  return (index) => refused.get(index) ?? { kind: 'stored' }
}
