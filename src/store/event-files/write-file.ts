import {
  canHaveColumn,
  decimalFor,
  fileColumnName,
  type KindCounts,
  type NumberWidth,
  planColumns,
} from '../../domain/events/file-columns.ts'
import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import type { DuckDbProcess } from '../../runtime/duckdb/duckdb-process.ts'
import type { DuckDbCell } from '../../runtime/duckdb/messages.ts'
import type { RowSums } from './hot-rows.ts'
import {
  copyPeopleToFile,
  copyToFile,
  countKinds,
  type FileShape,
  LTV_WIDTH,
  readLines,
  SUM_RAW,
  sumFile,
} from './shape.ts'

/** The content of a file. Instants are texts in UTC; `columns` has those of attributes. */
export type WrittenRows = {
  readonly sums: RowSums
  readonly leastEventAt: string
  readonly greatestEventAt: string
  readonly firstId: bigint
  readonly columns: readonly string[]
}

type FilePaths = { readonly csv: string; readonly file: string }

/**
 * Makes a Parquet file of lines that `copyHotRows` wrote, reads it again, and compares counts and sums. Throws if they
 * differ, so no file is used that lacks an event or a value. All statements of a file share one bound of time.
 */
export async function writeEventFile(
  duckdb: DuckDbProcess,
  { csv, file }: FilePaths,
  names: readonly string[],
): Promise<WrittenRows> {
  const making = beginFile(duckdb)
  await run(making, readLines(csv))
  const shape = await planShape(making, names.filter(canHaveColumn))
  await run(making, copyToFile(shape, file))
  const [count = '', ltv = '', profiles = '', ids = '', torn = '', ...bounds] = await runTexts(
    making,
    SUM_RAW,
  )
  if (torn !== '0') throw new Error(`${torn} events of ${csv} have other texts than PostgreSQL wrote`)
  const found = await runTexts(making, sumFile(shape, file))
  await run(making, 'drop table raw')
  const wanted = [count, ltv, profiles, ids, ...bounds]
  if (wanted.map(trimmed).join() !== found.map(trimmed).join()) {
    throw new Error(`the file ${file} has ${found.join(', ')} and should have ${wanted.join(', ')}`)
  }
  const [, leastEventAt = '', greatestEventAt = '', firstId = ''] = bounds
  return {
    sums: { count, ltv: trimmed(ltv), profiles, ids },
    leastEventAt,
    greatestEventAt,
    firstId: BigInt(firstId),
    columns: shape.columns.map(fileColumnName),
  }
}

/** Makes the file of people of lines that `copyPeople` wrote. */
export async function writePeopleFile(duckdb: DuckDbProcess, { csv, file }: FilePaths): Promise<void> {
  await run(beginFile(duckdb), copyPeopleToFile(csv, file))
}

/** The sums of several files. All of them are exact decimals. */
export function addSums(one: RowSums, other: RowSums): RowSums {
  return {
    count: String(BigInt(one.count) + BigInt(other.count)),
    ltv: addDecimals(one.ltv, other.ltv),
    profiles: String(BigInt(one.profiles) + BigInt(other.profiles)),
    ids: String(BigInt(one.ids) + BigInt(other.ids)),
  }
}

export const NO_ROWS: RowSums = { count: '0', ltv: '0', profiles: '0', ids: '0' }

const SCALE = 9

function addDecimals(one: string, other: string): string {
  const sum = nanosOf(one) + nanosOf(other)
  const digits = String(sum < 0n ? -sum : sum).padStart(SCALE + 1, '0')
  return trimmed(`${sum < 0n ? '-' : ''}${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`)
}

function nanosOf(decimal: string): bigint {
  const [whole = '0', part = ''] = decimal.split('.')
  return BigInt(`${whole}${part.padEnd(SCALE, '0')}`)
}

async function planShape(making: Making, attributes: readonly string[]): Promise<FileShape> {
  const [ltv] = await runRow(making, LTV_WIDTH)
  const counts = attributes.length === 0 ? [] : await runRow(making, countKinds(attributes))
  const width = widthOf(listOf(ltv))
  return {
    attributes,
    columns: planColumns(attributes, counts.map(listOf).map(countsOf)),
    ltv: width === null ? 'DECIMAL(18, 0)' : decimalFor(width),
  }
}

function listOf(cell: DuckDbCell | undefined): readonly unknown[] {
  return Array.isArray(cell) ? cell : []
}

function countsOf([strings, jsons, booleans, ...width]: readonly unknown[]): KindCounts {
  return {
    strings: Number(strings),
    jsons: Number(jsons),
    booleans: Number(booleans),
    numbers: widthOf(width),
  }
}

function widthOf([whole, scale]: readonly unknown[]): NumberWidth | null {
  return typeof whole === 'string' ? { whole: Number(whole), scale: Number(scale) } : null
}

/** A decimal without zeros at its end, as `trim_scale` of PostgreSQL writes it. Other texts have no point. */
function trimmed(text: string): string {
  return /^-?\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text
}

/** A file that is being made. `endsAt` is a moment of `performance.now()`. */
type Making = { readonly duckdb: DuckDbProcess; readonly endsAt: number }

function beginFile(duckdb: DuckDbProcess): Making {
  return { duckdb, endsAt: performance.now() + EVENT_FILE_LIMITS.fileMsMax }
}

const ROWS_MAX = 10

async function run(making: Making, sql: string): Promise<void> {
  await runRow(making, sql)
}

/** A row whose cells are all texts; a null is an empty one. */
async function runTexts(making: Making, sql: string): Promise<readonly string[]> {
  const row = await runRow(making, sql)
  return row.map((cell) => (typeof cell === 'string' ? cell : ''))
}

async function runRow({ duckdb, endsAt }: Making, sql: string): Promise<readonly DuckDbCell[]> {
  const timeoutMs = Math.max(0, endsAt - performance.now())
  const [row = []] = await duckdb.run({ sql }, { timeoutMs, rowsMax: ROWS_MAX })
  return row
}
