import type { Row } from './row.ts'

/** What one call may change of who is logged in; the server refuses a call that asks for more (`VISITOR_LIMITS`). */
export const LOGINS_MAX = 5

/** As many of the rows as may go together; one that is too large by itself goes alone. */
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
