/**
 * What was looked up a moment ago, by name. Those who ask together share one look; one that failed is not remembered,
 * since the next may succeed.
 */
export class FreshLooks<Value> {
  readonly #freshMs: number
  readonly #now: () => number
  readonly #known = new Map<string, { readonly found: Promise<Value>; readonly askedAt: number }>()

  constructor(freshMs: number, now: () => number = () => performance.now()) {
    this.#freshMs = freshMs
    this.#now = now
  }

  async find(name: string, look: () => Promise<Value>): Promise<Value> {
    const [known, askedAt] = [this.#known.get(name), this.#now()]
    // A clock may be set back.
    if (known !== undefined && Math.abs(askedAt - known.askedAt) < this.#freshMs) return known.found
    if (this.#known.size >= NAMES_MAX) this.#known.clear()
    const found = look()
    this.#known.set(name, { found, askedAt })
    found.catch(() => this.#known.delete(name))
    return found
  }

  forget(name: string): void {
    this.#known.delete(name)
  }
}

const NAMES_MAX = 10_000
