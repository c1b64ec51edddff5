import type { LiveUpdate } from './update.ts'

/** The result of one look at a subject. */
export type FeedLook = {
  /** Null when nothing has changed. */
  readonly update: LiveUpdate | null
  readonly pauseMs: number
  /** Whether the subject is gone, so that it is looked at no more. */
  readonly isGone?: true
}

/** Takes the updates of feeds. */
export type FeedReader = { readonly push: (update: LiveUpdate) => void }

export type FeedOptions = {
  readonly look: () => Promise<FeedLook>
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly pausePerLook: number
  readonly failurePauseMs: number
  readonly onFailure: (cause: unknown) => void
}

/**
 * One subject of one brand, looked at once for all its readers. It begins with its first reader, and its owner forgets it
 * when the last one has left; then it never looks again. A look that takes long is followed by a long pause, so that a
 * feed keeps the database busy for a tenth of the time at most.
 */
export class Feed {
  readonly #options: FeedOptions
  readonly #readers = new Set<FeedReader>()
  readonly #end = new AbortController()
  #latest: LiveUpdate | null = null
  #looked = Promise.withResolvers<void>()

  constructor(options: FeedOptions) {
    this.#options = options
    void this.#run()
  }

  get readers(): number {
    return this.#readers.size
  }

  /** A new reader gets the newest state at once. */
  join(reader: FeedReader): void {
    this.#readers.add(reader)
    if (this.#latest?.kind === 'state') reader.push(this.#latest)
  }

  leave(reader: FeedReader): void {
    this.#readers.delete(reader)
    if (this.#readers.size === 0) this.#end.abort()
  }

  /** Resolves when the look that begins next, or a later one, is done; also when the feed has ended. */
  async nextLook(): Promise<void> {
    await this.#looked.promise
    await this.#looked.promise
  }

  async #run(): Promise<void> {
    const { signal } = this.#end
    const { sleep, pausePerLook } = this.#options
    while (!signal.aborted) {
      const startedAt = performance.now()
      const look = await this.#look()
      const tookMs = performance.now() - startedAt
      if (signal.aborted) break
      if (look.update !== null) this.#publish(look.update)
      this.#tellLooked()
      if (look.isGone === true) break
      await sleep(Math.max(look.pauseMs, tookMs * pausePerLook), signal)
    }
    this.#looked.resolve()
  }

  /** A database that is away comes back: the feed tries again, and its readers see no news until then. */
  async #look(): Promise<FeedLook> {
    try {
      return await this.#options.look()
    } catch (cause) {
      this.#options.onFailure(cause)
      return { update: null, pauseMs: this.#options.failurePauseMs }
    }
  }

  #publish(update: LiveUpdate): void {
    this.#latest = update
    for (const reader of this.#readers) reader.push(update)
  }

  #tellLooked(): void {
    const { resolve } = this.#looked
    this.#looked = Promise.withResolvers<void>()
    resolve()
  }
}
