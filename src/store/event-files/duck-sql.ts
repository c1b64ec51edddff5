import type { DuckDbCell } from '../../runtime/duckdb/messages.ts'

/** A text in a statement of DuckDB. */
export function duckText(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}

/** A name in a statement of DuckDB. */
export function duckName(value: string): string {
  return `"${value.replaceAll('"', '""')}"`
}

/** An instant in a statement of DuckDB, whose files have plain times in UTC. */
export function duckInstant(at: number): string {
  return `timestamp '${new Date(at).toISOString().slice(0, -1).replace('T', ' ')}'`
}

/**
 * The condition that an id is none of these. DuckDB compares each event with each literal of `not in (1, 2, …)`, one after the other; a list it
 * joins (decision 0045).
 */
export function noneOfSql(column: string, ids: readonly bigint[]): string {
  return `${column} not in (select unnest('[${ids.join(', ')}]'::bigint[]))`
}

/** A cell of an answer that is a text. */
export function textOf(cell: DuckDbCell | undefined): string {
  if (typeof cell !== 'string') throw new Error('DuckDB answered with something else than a text')
  return cell
}
