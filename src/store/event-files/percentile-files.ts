import type { ColdRows } from './cold-rows.ts'
import type { FileQuestion } from './read-events.ts'

/**
 * Whether DuckDB's own percentile has room for the numbers of so many events. DuckDB keeps each number once for each set of cells, and cannot
 * put numbers on the disk. Without room, each different number is counted (`rankedSql`), which takes up to six times as long.
 */
export function hasRoomForNumbers(
  { parts }: Pick<FileQuestion, 'parts'>,
  { events, threadMib }: Pick<ColdRows, 'threadMib'> & { readonly events: number },
): boolean {
  return events * NUMBER_BYTES * (parts.length === 0 ? SETS : DIVIDED_SETS) <= THREADS * threadMib * 1_048_576
}

/** A number has 8 bytes. A list of them grows to twice its length, and is copied then: 14 to 20 bytes were measured. */
const NUMBER_BYTES = 24
/** The sets of cells without groups: all spans together, and each span. */
const SETS = 2
/** With groups: these two for everybody, these two for each group, and the lists of numbers (`pickedSql`). */
const DIVIDED_SETS = 5
/** The memory of two threads: the rest is for reading files. */
const THREADS = 2

type Ranked = {
  /** The table with each number of an answer once, and in `numbers` how often it occurs. */
  readonly from: string
  /** The columns that tell the cells of the answer apart, for each level of them. */
  readonly sets: readonly (readonly string[])[]
  /** All of these columns. */
  readonly cell: readonly string[]
  /** Columns of which a cell keeps the least value. */
  readonly kept: readonly string[]
}

/**
 * Each number of a cell once, in order: `upto` is how many numbers are not greater, `total` how many there are. DuckDB's own
 * percentile keeps every number of every event in memory, and cannot put them on the disk.
 */
export function rankedSql({ from, sets, cell, kept }: Ranked): string {
  const each = sets.map((set) => `(${['is_before', ...set, 'number'].join(', ')})`)
  const values = [...cell, 'number', ...kept.map((column) => `min(${column}) as ${column}`)]
  const inCell = `partition by ${cell.join(', ')}`
  return `select *, sum(numbers) over (${inCell} order by number rows unbounded preceding) as upto,
      sum(numbers) over (${inCell}) as total
    from (select ${values.join(', ')}, sum(numbers)::bigint as numbers from ${from} group by grouping sets (${each.join(', ')}))`
}

/** The percentile of the numbers of a cell: between two numbers, it is as far from each as its place is. */
export function percentileSql(share: number): string {
  const place = `((total - 1)::double * ${share}::double)`
  const lower = `min(number) filter (where upto > floor(${place}))`
  const upper = `min(number) filter (where upto > ceil(${place}))`
  return `${lower} + (${upper} - ${lower}) * max(${place} - floor(${place}))`
}
