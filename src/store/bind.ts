/** An instant as SQL text. A bound value that no part of the statement mentions would have no known type. */
export function writtenInstant(at: number): string {
  return `timestamptz '${new Date(at).toISOString()}'`
}

/** Collects the values of a statement that is put together from parts, and gives each its number. */
export class Binds {
  readonly #values: unknown[] = []

  get values(): readonly unknown[] {
    return this.#values
  }

  /** Adds a value and gives its number in the statement: `$1`, `$2` … */
  add(value: unknown): string {
    this.#values.push(value)
    return `$${this.#values.length}`
  }
}
