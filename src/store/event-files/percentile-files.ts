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
