/** An instant written out, for where a value that a statement may not mention would be one of unknown type. */
export function writtenInstant(at: number): string {
  return `timestamptz '${new Date(at).toISOString()}'`
}

/** Collects the values of a statement that is put together from parts, and names their places in it. */
export class Binds {
  readonly #values: unknown[] = []

  get values(): readonly unknown[] {
    return this.#values
  }

  /** The place of a value: `$1`, `$2` … */
  add(value: unknown): string {
    this.#values.push(value)
    return `$${this.#values.length}`
  }
}
