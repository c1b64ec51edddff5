import { isLater, positionText, type TailPosition } from '../../domain/events/tail-position.ts'
import type { Scope } from '../../rules/brand.ts'
import { LIVE_ENDS, LIVE_LIMITS, type LiveEnd } from '../../rules/live.ts'
import type { FeedReader } from './feed.ts'
import { eventText, HEARTBEAT, type LiveUpdate, type TailMessage } from './update.ts'

type StreamOptions = {
  readonly scopes: readonly Scope[]
  /** Breaks the connection. */
  readonly cut: () => void
  /** When the reader should come back if Beckon closes the stream. */
  readonly retryMs: number
}

type Step = Extract<LiveUpdate, { kind: 'step' }>

/**
 * The messages that wait for one reader. Of each subject only the newest state waits; steps of the tail wait in order, up
 * to a bound of bytes that all readers of a brand share.
 *
 * | state   | moves to | when                                                                                 |
 * |---------|----------|--------------------------------------------------------------------------------------|
 * | open    | closing  | `close`: access is gone, Beckon stops, or more waits than may                        |
 * |         | ended    | the reader hangs up                                                                  |
 * | closing | ended    | the reader took the last message, or did not take it in time: its connection is cut  |
 *
 * A stream that is closing drops what waits and takes nothing more, so nothing is shown after access is gone.
 */
export class LiveStream implements FeedReader {
  readonly #options: StreamOptions
  readonly #states = new Map<string, Extract<LiveUpdate, { kind: 'state' }>>()
  #steps: Step[] = []
  #stepBytes = 0
  #scopes: readonly Scope[]
  /** Events up to here were shown by another process, before the reader came here. */
  #shownUpTo: TailPosition | null = null
  #end: LiveEnd | null = null
  #isEnded = false
  #isBeating = false
  #sentAt = performance.now()
  #parting: NodeJS.Timeout | null = null
  #news = Promise.withResolvers<void>()

  constructor(options: StreamOptions) {
    this.#options = options
    this.#scopes = options.scopes
  }

  get scopes(): readonly Scope[] {
    return this.#scopes
  }

  /** The scopes of the reader may change while it listens. */
  set scopes(scopes: readonly Scope[]) {
    this.#scopes = scopes
  }

  get isOpen(): boolean {
    return this.#end === null && !this.#isEnded
  }

  push(update: LiveUpdate): void {
    if (!this.isOpen) return
    if (update.kind === 'state') this.#states.set(update.subject, update)
    else this.#pushStep(update)
    this.#tell()
  }

  #pushStep(step: Step): void {
    if (this.#steps.length > 0 && this.#stepBytes + step.bytes > LIVE_LIMITS.bufferBytesMax) {
      return this.close('too_slow')
    }
    this.#steps.push(step)
    this.#stepBytes += step.bytes
  }

  /** Steps may repeat what the reader has seen elsewhere. */
  skipUpTo(place: TailPosition | null): void {
    this.#shownUpTo = place
  }

  /** Sends a heartbeat if nothing was sent for a while. */
  beat(): void {
    if (performance.now() - this.#sentAt < LIVE_LIMITS.heartbeatMs) return
    this.#isBeating = true
    this.#tell()
  }

  close(end: LiveEnd): void {
    if (!this.isOpen) return
    this.#end = end
    this.#drop()
    this.#parting = setTimeout(this.#options.cut, LIVE_LIMITS.partingMs)
    this.#tell()
  }

  /** The reader is gone, or has everything. */
  end(): void {
    this.#isEnded = true
    this.#drop()
    if (this.#parting !== null) clearTimeout(this.#parting)
    this.#tell()
  }

  /** Everything that waits, in pieces, until the stream ends. */
  async *read(): AsyncGenerator<string> {
    while (!this.#isEnded) {
      if (this.#end !== null) {
        yield this.#lastMessage(this.#end)
        return
      }
      const news = this.#news.promise
      for (const text of this.#take()) {
        this.#sentAt = performance.now()
        yield text
        if (!this.isOpen) break
      }
      if (this.isOpen && !this.#hasNews()) await news
    }
  }

  #hasNews(): boolean {
    return this.#states.size > 0 || this.#steps.length > 0 || this.#isBeating
  }

  *#take(): Generator<string> {
    const states = [...this.#states.values()]
    this.#states.clear()
    if (states.length > 0) yield states.map(({ textFor }) => textFor(this.#scopes)).join('')
    // The step leaves the queue when its last piece was taken: until then it counts as waiting.
    for (let [step] = this.#steps; step !== undefined; [step] = this.#steps) {
      yield* inPieces(this.#unseen(step.messagesFor(this.#scopes)))
      if (this.#steps[0] === step) this.#steps.shift()
      this.#stepBytes = this.#steps.reduce((sum, { bytes }) => sum + bytes, 0)
    }
    if (this.#isBeating && states.length === 0) yield HEARTBEAT
    this.#isBeating = false
  }

  #unseen(messages: readonly TailMessage[]): readonly TailMessage[] {
    const shown = this.#shownUpTo
    return shown === null ? messages : messages.filter(({ place }) => isLater(place, shown))
  }

  #lastMessage(end: LiveEnd): string {
    const data = { reason: end, message: LIVE_ENDS[end] }
    return eventText({ event: 'closed', data, retryMs: this.#options.retryMs })
  }

  #drop(): void {
    this.#states.clear()
    this.#steps = []
    this.#stepBytes = 0
  }

  #tell(): void {
    const { resolve } = this.#news
    this.#news = Promise.withResolvers<void>()
    resolve()
  }
}

/** Texts are shared by all readers of a brand; only the piece that is being written is the reader's own. */
export function* inPieces(messages: readonly TailMessage[]): Generator<string> {
  let piece = ''
  for (const { place, text } of messages) {
    piece += `id: ${positionText(place)}\n${text}`
    if (piece.length < LIVE_LIMITS.writeBytesMax) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}
