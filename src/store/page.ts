import { jsonBytes } from '../domain/values/json-size.ts'
import { LIMITS } from '../rules/limits.ts'
import type { Db } from './db.ts'

/** Rows of a list. `hasMore` is true if the page ended at its limit of rows or of bytes. */
export type RowPage<Row> = { readonly rows: readonly Row[]; readonly hasMore: boolean }

type PageQuery = {
  /** A select with its own order and limit. */
  readonly text: string
  /** Of a select that runs with many requests and has few texts: it is planned once for each connection. */
  readonly name?: string
  readonly values: readonly unknown[]
  /** The limit of rows in the select. */
  readonly limit: number
  readonly kind: keyof typeof ROW_BYTES_MAX
}

/** The most bytes of a row: a document may take 1 MiB, a profile 256 KiB of texts, another row 64 KiB. */
const ROW_BYTES_MAX = { documents: 1024 * 1024, profiles: 256 * 1024, rows: 64 * 1024 } as const

/** A page of which all rows together may be larger is read in portions of so many bytes. */
const WHOLE_BYTES_MAX = 32 * 1024 * 1024
const PORTION_BYTES_MAX = 4 * 1024 * 1024

/** Reads a page that ends after `LIMITS.pageBytesMax`, with at least one row. Run it in a transaction. */
export async function readPage<Row extends object>(tx: Db, query: PageQuery): Promise<RowPage<Row>> {
  const isSmall = query.limit * ROW_BYTES_MAX[query.kind] <= WHOLE_BYTES_MAX
  return isSmall ? readWhole(tx, query) : readPortions(tx, query)
}

/**
 * One statement, in which PostgreSQL leaves out the rows after the last one that can be in the page. It counts the
 * bytes of a row as text, which may have each quote twice; as JSON a row has more than a quarter of them.
 */
async function readWhole<Row extends object>(tx: Db, query: PageQuery): Promise<RowPage<Row>> {
  const text = `select (page).* from (
       select page, sum(octet_length(page::text)) over (rows between unbounded preceding and 1 preceding) as before
       from (${query.text}) as page
     ) as measured where before is null or before < ${4 * LIMITS.pageBytesMax}`
  const { rows } = await tx.query<Row>(
    query.name === undefined ? text : { name: query.name, text },
    query.values,
  )
  const page = new GrowingPage<Row>()
  page.add(rows)
  return page.end(query.limit)
}

/** A cursor reads a few rows at a time, so the work for a page does not depend on the size of the rows after it. */
async function readPortions<Row extends object>(tx: Db, query: PageQuery): Promise<RowPage<Row>> {
  const { text, values, limit, kind } = query
  const portion = PORTION_BYTES_MAX / ROW_BYTES_MAX[kind]
  const page = new GrowingPage<Row>()
  await tx.query(`declare page no scroll cursor for ${text}`, values)
  for (let isMore = true; isMore && !page.isCut; ) {
    const { rows } = await tx.query<Row>(`fetch ${portion} from page`)
    page.add(rows)
    isMore = rows.length === portion && page.length < limit
  }
  await tx.query('close page')
  return page.end(limit)
}

/** The rows of a page so far. It is cut when it has its bytes and there is one more row. */
class GrowingPage<Row extends object> {
  readonly #rows: Row[] = []
  #bytes = 0
  isCut = false

  get length(): number {
    return this.#rows.length
  }

  add(rows: readonly Row[]): void {
    for (const row of rows) {
      this.isCut ||= this.#bytes >= LIMITS.pageBytesMax
      if (this.isCut) return
      this.#rows.push(row)
      this.#bytes += jsonBytes(row)
    }
  }

  end(limit: number): RowPage<Row> {
    return { rows: this.#rows, hasMore: this.isCut || this.length >= limit }
  }
}
