import type { Row } from './row.ts'

/** As many of the rows as fit together; one that is too large by itself goes alone. */
export function cutBatch(rows: readonly Row[], charsMax: number): readonly Row[] {
  let chars = 0
  const end = rows.findIndex((row) => (chars += JSON.stringify(row).length) > charsMax)
  return end === -1 ? rows : rows.slice(0, Math.max(1, end))
}
