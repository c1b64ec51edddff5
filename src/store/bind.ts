/** An instant as SQL text. A bound value that no part of the statement mentions would have no known type. */
export function writtenInstant(at: number): string {
  return `timestamptz '${new Date(at).toISOString()}'`
}

/** The last instant before another one, as SQL text. PostgreSQL's instants have microseconds. */
export function writtenBefore(at: number): string {
  return `${writtenInstant(at)} - interval '1 microsecond'`
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

/** Writes values into the statement itself, for `copy`, which takes no parameters. */
export class LiteralBinds extends Binds {
  override add(value: unknown): string {
    return literal(value)
  }
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' || typeof value === 'bigint') return `(${value})`
  if (typeof value === 'boolean') return String(value)
  if (value instanceof Date) return `timestamptz '${value.toISOString()}'`
  if (Array.isArray(value)) return `array[${value.map(literal).join(', ')}]`
  if (typeof value === 'string') return quoteText(value)
  throw new Error('a value of this type cannot be written into a statement')
}

/** A backslash means itself in a text with the prefix `e`, whatever the setting `standard_conforming_strings` says. */
function quoteText(text: string): string {
  return `e'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
