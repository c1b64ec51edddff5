import { isAway } from '../unavailable.ts'

/**
 * Tells a database that is busy from one that fell silent. Both leave calls without a connection; but a busy one goes on
 * answering others, and greets. So it is greeted only if it has answered nothing for a while, and calls that ask together
 * share a greeting.
 */
export class Silence {
  readonly #greet: () => Promise<void>
  #asked: Promise<void> | null = null

  /** `greet` opens a connection, within a bound, and closes it. */
  constructor(greet: () => Promise<void>) {
    this.#greet = greet
  }

  /** Throws why the database cannot be greeted, if it is away. `answeredAt`: when it last answered anything. */
  async check(answeredAt: number): Promise<void> {
    if (performance.now() - answeredAt < QUIET_MS) return
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = null
    })
    await this.#asked
  }

  async #ask(): Promise<void> {
    await this.#greet().catch((cause: unknown) => {
      if (isAway(cause)) throw cause
      // A server that refuses, for example because it has no connection left, is there.
    })
  }
}

/** Shorter than the time that a call waits for a connection. */
const QUIET_MS = 2_000
