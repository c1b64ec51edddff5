import { columns, say } from './terminal.ts'

const PAGE_ROWS = 500

/** A page: the rows after this id, at most `limit`. */
export type Page = { readonly afterId: number; readonly limit: number }

/** A list that a command prints, as columns for a person or as JSON for a program. */
export type Listing<Row> = {
  /** The field of the JSON document that has the rows. */
  readonly field: string
  readonly heading: readonly string[]
  readonly cells: (row: Row) => readonly string[]
  readonly view: (row: Row) => object
}

/** The flag of every command that lists or reports. Its documents are described in docs/operating.md. */
export const JSON_FLAG = {
  type: 'boolean',
  meaning: 'Prints one JSON document, for programs. The exit code is the same.',
} as const

/** Prints a list page by page, so that a long one needs no more memory than a short one. */
export async function sayList<Row>(
  listing: Listing<Row>,
  pages: AsyncIterable<readonly Row[]>,
  { json = false }: { readonly json?: boolean | undefined },
): Promise<void> {
  if (json) await sayDocument(listing, pages)
  else await sayColumns(listing, pages)
}

/** The pages of a list whose rows are in the order of their ids; the first page may be empty. */
export async function* pagesById<Row extends { readonly id: number }>(
  load: (page: Page) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let rows = await load({ afterId: 0, limit: PAGE_ROWS })
  yield rows
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    rows = await load({ afterId: last.id, limit: PAGE_ROWS })
    yield rows
  }
}

async function sayColumns<Row>(
  { heading, cells }: Listing<Row>,
  pages: AsyncIterable<readonly Row[]>,
): Promise<void> {
  let head: readonly (readonly string[])[] = [heading]
  for await (const rows of pages) {
    const lines = [...head, ...rows.map(cells)]
    head = []
    if (lines.length > 0) say(...columns(lines))
  }
}

/** Begins when the first page is there, so that a command that fails at once prints nothing. */
async function sayDocument<Row>(
  { field, view }: Listing<Row>,
  pages: AsyncIterable<readonly Row[]>,
): Promise<void> {
  let before = `{${JSON.stringify(field)}:[`
  for await (const rows of pages) {
    for (const row of rows) {
      say(`${before}${JSON.stringify(view(row))}`)
      before = ','
    }
  }
  say(before === ',' ? ']}' : `${before}]}`)
}
