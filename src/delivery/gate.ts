/** Lets a bounded number of sends be in flight at once, and the others wait their turn. */
export class Gate {
  readonly #max: number
  readonly #waiting: (() => void)[] = []
  #inside = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Goes in at once if there is room; `leave` must follow. */
  tryEnter(): boolean {
    if (this.#inside >= this.#max) return false
    this.#inside += 1
    return true
  }

  async enter(): Promise<void> {
    if (this.tryEnter()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    await promise
  }

  /** The place goes to whoever waits longest. */
  leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#inside -= 1
    else next()
  }
}
