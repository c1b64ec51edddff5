type GatherOptions = {
  readonly waitMs: number
  /** Tests bring their own. */
  readonly elapsed?: () => number
}

/**
 * Items of a loop that wait before their work, so that more of it gathers: a turn has a fixed cost beside the cost of its
 * work. The memory is that of one process.
 *
 * | state   | moves to | when                                         |
 * |---------|----------|----------------------------------------------|
 * | unknown | waiting  | a claim finds work of it                     |
 * | waiting | due      | `waitMs` are over                            |
 * | due     | at work  | a claim finds work of it                     |
 * | at work | due      | its work fails, or ends with more left to do |
 * |         | unknown  | its work ends with nothing left to do        |
 *
 * Claims leave out the items that wait or are at work.
 */
export class GatherList<Item> {
  readonly #dueAt = new Map<Item, number>()
  readonly #waitMs: number
  readonly #elapsed: () => number

  constructor({ waitMs, elapsed = () => performance.now() }: GatherOptions) {
    this.#waitMs = waitMs
    this.#elapsed = elapsed
  }

  /** The items to leave out now. */
  leftOut(): readonly Item[] {
    const now = this.#elapsed()
    return [...this.#dueAt].filter(([, dueAt]) => dueAt > now).map(([item]) => item)
  }

  /** The items whose work begins now, `limit` at most, of those that a claim found. An unknown item begins to wait. */
  take(found: readonly Item[], limit: number): readonly Item[] {
    const now = this.#elapsed()
    for (const item of found) if (!this.#dueAt.has(item)) this.#dueAt.set(item, now + this.#waitMs)
    const due = found.filter((item) => (this.#dueAt.get(item) ?? Infinity) <= now).slice(0, limit)
    for (const item of due) this.#dueAt.set(item, Infinity)
    return due
  }

  /** Does the work of one item that was taken; `work` tells whether more is left to do. */
  async run(item: Item, work: () => Promise<boolean>): Promise<void> {
    let isMore = true
    try {
      isMore = await work()
    } finally {
      if (isMore) this.#dueAt.set(item, this.#elapsed())
      else this.#dueAt.delete(item)
    }
  }
}
