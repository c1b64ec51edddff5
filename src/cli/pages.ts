import { columns, say } from './terminal.ts'

const PAGE_ROWS = 500

/** A page: the rows after this id, at most `limit`. */
export type Page = { readonly afterId: number; readonly limit: number }

/** Prints a list page by page, so that a long one needs no more memory than a short one. */
export async function sayPages<Row extends { readonly id: number }>(
  heading: readonly string[],
  load: (page: Page) => Promise<readonly Row[]>,
  cells: (row: Row) => readonly string[],
): Promise<void> {
  let rows = await load({ afterId: 0, limit: PAGE_ROWS })
  say(...columns([heading, ...rows.map(cells)]))
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    rows = await load({ afterId: last.id, limit: PAGE_ROWS })
    if (rows.length > 0) say(...columns(rows.map(cells)))
  }
}
