/** A row of an answer, whoever gave it. */
export type AnswerRow = readonly unknown[]

/** Throws if two answers are not the same rows, in any order. A mean may differ in its last digits. */
export function assertSameAnswer(
  name: string,
  ours: readonly AnswerRow[],
  plain: readonly AnswerRow[],
): void {
  const [mine, theirs] = [comparable(ours), comparable(plain)]
  const place = mine.findIndex((row, at) => !isSameRow(row, theirs[at] ?? []))
  if (place === -1 && mine.length === theirs.length && mine.length > 0) return
  const [one, other] = [mine, theirs].map((rows) => JSON.stringify(rows[Math.max(0, place)]))
  throw new Error(
    `${name}: ${mine.length} rows, and ${theirs.length} from DuckDB alone; the first other one is ${one}, there ${other}`,
  )
}

type Cell = string | number

function comparable(rows: readonly AnswerRow[]): readonly (readonly Cell[])[] {
  return rows
    .map((row) => row.map(cellOf))
    .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
}

/** DuckDB writes wide numbers as texts. */
function cellOf(value: unknown): Cell {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'number') return value
  if (typeof value === 'string') return /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value
  return JSON.stringify(value)
}

function isSameRow(one: readonly Cell[], other: readonly Cell[]): boolean {
  return one.length === other.length && one.every((cell, place) => isSame(cell, other[place]))
}

function isSame(one: Cell, other: Cell | undefined): boolean {
  if (typeof one !== 'number' || typeof other !== 'number') return one === other
  return Math.abs(one - other) <= TOLERANCE * Math.max(1, Math.abs(one))
}

const TOLERANCE = 1e-9
