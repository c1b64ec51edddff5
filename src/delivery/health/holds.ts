/**
 * Who must be left in peace for a while: a provider's host, or all that is sent with one credential. A provider that
 * says how long gets what it asked for; one that only fails gets a rest after a row of failures.
 */
export class Holds {
  readonly #now: () => number
  readonly #troubles = new Map<string, Trouble>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Nobody is in trouble, so nobody need be asked for. */
  get isCalm(): boolean {
    return this.#troubles.size === 0
  }

  /** How long this one is to be left in peace; 0 when it is not. */
  waitMs(name: string): number {
    return Math.max(0, (this.#troubles.get(name)?.heldUntil ?? 0) - this.#now())
  }

  /** It did not take a message, and wants `waitMs` of peace, or says nothing of that (0). */
  fail(name: string, waitMs: number): void {
    const { failures, heldUntil } = this.#troubles.get(name) ?? CALM
    const restMs = (failures + 1) % FAILURES_IN_A_ROW === 0 ? REST_MS : 0
    const until = this.#now() + Math.min(Math.max(waitMs, restMs), HOLD_MS_MAX)
    if (this.#troubles.size >= NAMES_MAX) this.#troubles.clear()
    this.#troubles.set(name, { failures: failures + 1, heldUntil: Math.max(heldUntil, until) })
  }

  /** It took a message. */
  succeed(name: string): void {
    if (this.#troubles.size > 0 && this.waitMs(name) === 0) this.#troubles.delete(name)
  }
}

type Trouble = { readonly failures: number; readonly heldUntil: number }

const CALM: Trouble = { failures: 0, heldUntil: 0 }
const FAILURES_IN_A_ROW = 20
const REST_MS = 2_000
/** A provider cannot stop us for ever by a slip of its own. */
const HOLD_MS_MAX = 60 * 60_000
const NAMES_MAX = 10_000
