import type { EventPart } from '../events/parts.ts'

/** The place of an event among those of a person. No two events have the same. */
const PLACE = '(epoch_us(event_at)::hugeint << 64) | id'

/** The value that a column has in the first event of each person. Memory grows with people: a window would keep every event. */
function firstSql(column: string): string {
  return `arg_min(${column}, ${PLACE})`
}

/** The columns of parts in the first event of each person. A part that is about people is added later (`withPeopleSql`). */
export function firstPartsSql(parts: readonly EventPart[], keys: readonly string[]): readonly string[] {
  return keys.map(
    (key, place) => `${parts[place]?.kind === 'person' ? 'null::VARCHAR' : firstSql(key)} as ${key}`,
  )
}
