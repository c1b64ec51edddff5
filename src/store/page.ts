import { jsonBytes } from '../domain/values/json-size.ts'
import { LIMITS } from '../rules/limits.ts'
import type { Db } from './db.ts'

/** Rows of a list. `hasMore` is true if the page ended at its limit of rows or of bytes. */
export type RowPage<Row> = { readonly rows: readonly Row[]; readonly hasMore: boolean }

type PageQuery = {
  /** A select with its own order and limit. */
  readonly text: string
  readonly values: readonly unknown[]
  /** The limit of rows in the select. */
  readonly limit: number
  readonly kind: keyof typeof PORTION_ROWS
}

/** Rows that are read at a time: a document may take 1 MiB, a profile 256 KiB of texts, another row 64 KiB. */
const PORTION_ROWS = { documents: 4, profiles: 16, rows: 64 } as const

/**
 * Reads a page that ends after `LIMITS.pageBytesMax`, with at least one row. A cursor reads a few rows at a time, so the
 * memory for a page does not depend on the size of the rows after it. Run it in a transaction.
 */
export async function readPage<Row extends object>(tx: Db, query: PageQuery): Promise<RowPage<Row>> {
  const { text, values, limit, kind } = query
  const portion = PORTION_ROWS[kind]
  const rows: Row[] = []
  let [bytes, isCut] = [0, false]
  await tx.query(`declare page no scroll cursor for ${text}`, values)
  for (let isMore = true; isMore && !isCut; ) {
    const { rows: read } = await tx.query<Row>(`fetch ${portion} from page`)
    for (const row of read) {
      isCut = bytes >= LIMITS.pageBytesMax
      if (isCut) break
      rows.push(row)
      bytes += jsonBytes(row)
    }
    isMore = read.length === portion && rows.length < limit
  }
  await tx.query('close page')
  return { rows, hasMore: isCut || rows.length >= limit }
}
