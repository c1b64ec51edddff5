type RestOptions = {
  readonly restMs: number
  /** Tests bring their own. */
  readonly elapsed?: () => number
}

/**
 * Items of a loop that a claim leaves out, so that more work gathers for their next turn: a turn has a fixed cost beside
 * the cost of its work. The memory is that of one process.
 *
 * | state   | moves to | when                                              |
 * |---------|----------|---------------------------------------------------|
 * | free    | at work  | its work begins                                   |
 * | at work | free     | its work fails, or ends with more left to do      |
 * |         | resting  | its work ends with nothing left to do             |
 * | resting | free     | `restMs` are over                                 |
 *
 * An item at work is left out too, and an item that was idle begins at once.
 */
export class RestList<Item> {
  readonly #freeAt = new Map<Item, number>()
  readonly #restMs: number
  readonly #elapsed: () => number

  constructor({ restMs, elapsed = () => performance.now() }: RestOptions) {
    this.#restMs = restMs
    this.#elapsed = elapsed
  }

  /** Does the work of one item; `work` tells whether more is left to do. */
  async run(item: Item, work: () => Promise<boolean>): Promise<void> {
    this.#freeAt.set(item, Infinity)
    let isMore = true
    try {
      isMore = await work()
    } finally {
      if (isMore) this.#freeAt.delete(item)
      else this.#freeAt.set(item, this.#elapsed() + this.#restMs)
    }
  }

  /** The items to leave out now. */
  resting(): readonly Item[] {
    const now = this.#elapsed()
    for (const [item, freeAt] of this.#freeAt) if (freeAt <= now) this.#freeAt.delete(item)
    return [...this.#freeAt.keys()]
  }
}
