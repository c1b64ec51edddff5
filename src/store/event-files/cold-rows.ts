import { join } from 'node:path'
import { duckInstant, duckText, noneOfSql } from './duck-sql.ts'
import type { FrozenView } from './frozen-view.ts'

/** The events of a question in files and in rows, for a statement of DuckDB. */
export type ColdRows = {
  readonly folder: string
  readonly view: FrozenView
  /** The CSV with the rows that `copyHotSql` wrote; null if there were none. */
  readonly csv: string | null
  /** The people that `copyPeopleSql` found; null if the question is about everybody's events. */
  readonly people: FoundPeople | null
  /** The memory of DuckDB for each of its threads (`runtime/duckdb/memory.ts`). */
  readonly threadMib: number
}

/** The CSV with people; null if nobody was found. */
export type FoundPeople = { readonly csv: string | null }

type ColdChoice = {
  readonly names: readonly string[] | null
  readonly fromAt: number
  readonly toAt: number
  /**
   * `shared`: the statement reads only columns that every file has, of the same type in each: not `ltv`, and no attribute. DuckDB opens every
   * file before it reads any, if their columns have to be united, and again for each place where a statement reads them. Each open file is 0.14 MiB.
   */
  readonly columns: 'shared' | 'united'
  /** A join with people; empty without one. */
  readonly join?: string
  /** Further conditions on the events of files. */
  readonly conditions: readonly string[]
}

/** The files, without the events that changed since, as `from … where …`. */
export function filesSql({ folder, view }: ColdRows, choice: ColdChoice): string {
  const { names, fromAt, toAt, columns, join: people = '', conditions } = choice
  const paths = filesOfTime(view, choice)
    .map(({ path }) => duckText(join(folder, path)))
    .join(', ')
  const wanted = [
    `event_at >= ${duckInstant(fromAt)}`,
    `event_at < ${duckInstant(toAt)}`,
    ...(names === null ? [] : [namesSql(names)]),
    ...(view.changed.length === 0 ? [] : [noneOfSql('id', view.changed)]),
    ...(view.erased.length === 0 ? [] : [noneOfSql('profile_id', view.erased)]),
    ...conditions,
  ]
  return `from read_parquet([${paths}], union_by_name = ${columns === 'united'}) ${people} where ${wanted.map((sql) => `(${sql})`).join(' and ')}`
}

type ColdTime = Pick<ColdChoice, 'fromAt' | 'toAt'>

/** The columns of attributes that a statement can name: those of the files of its time. */
export function columnsOfTime({ view }: Pick<ColdRows, 'view'>, time: ColdTime): ReadonlySet<string> {
  return new Set(filesOfTime(view, time).flatMap(({ columns }) => columns))
}

/** DuckDB refuses an empty list. Without a file of the time there is one that has no event of it. */
function filesOfTime({ files }: Pick<FrozenView, 'files'>, { fromAt, toAt }: ColdTime): FrozenView['files'] {
  const found = files.filter(({ leastAt, greatestAt }) => leastAt < toAt && greatestAt >= fromAt)
  return found.length > 0 ? found : files.slice(0, 1)
}

/** One name is compared by itself, so that DuckDB can pass over parts of a file that lack it. */
function namesSql(names: readonly string[]): string {
  const [only = ''] = names
  if (names.length === 1) return `event_name = ${duckText(only)}`
  return `event_name in (${names.map(duckText).join(', ')})`
}

/** The rows, as `from …`. All columns are texts or of the type that is given. */
export function rowsSql(csv: string, columns: Readonly<Record<string, string>>): string {
  const typed = Object.entries(columns).map(([name, type]) => `${duckText(name)}: ${duckText(type)}`)
  return `from read_csv(${duckText(csv)}, auto_detect = false, header = false, delim = ',', quote = '"', escape = '"',
    new_line = '\\n', nullstr = '', allow_quoted_nulls = false, parallel = false, columns = {${typed.join(', ')}})`
}
