import type { Row } from './row.ts'

/** The most logins in one call; the server refuses a call with more (`VISITOR_LIMITS`). */
export const LOGINS_MAX = 5

/** The first rows that fit in one call. A row that is too large goes alone. */
export function cutBatch(rows: readonly Row[], charsMax: number): readonly Row[] {
  let chars = 0
  let logins = 0
  const end = rows.findIndex((row) => {
    const text = JSON.stringify(row)
    if (text.includes('"do":"user"')) logins += 1
    return (chars += text.length) > charsMax || logins > LOGINS_MAX
  })
  return end === -1 ? rows : rows.slice(0, Math.max(1, end))
}
