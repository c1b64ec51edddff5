import type { Fault } from '../../domain/fault.ts'
import type { Db } from '../db.ts'
import { type RowPage, readPage } from '../page.ts'

/** An entry that was refused. `entry` is its JSON as text; `identifiers` are those of the person in it. */
export type RejectedEntry = {
  readonly index: number
  readonly fault: Fault
  readonly entry: string
  readonly identifiers: readonly string[]
}

export type RejectedEntries = {
  readonly brandId: number
  readonly rejected: readonly RejectedEntry[]
  readonly now: number
}

/** Stores refused entries, so that a brand can see for some days what was lost and why. */
export async function saveRejected(tx: Db, { brandId, rejected, now }: RejectedEntries): Promise<void> {
  const rows = rejected.map(({ index, fault, entry, identifiers }) => ({
    index,
    code: fault.code,
    field: fault.field === null ? null : storable(fault.field),
    message: storable(fault.message),
    entry: storable(entry),
    identifiers: identifiers.map(storable),
  }))
  await tx.query(
    `insert into rejected_entries
       (brand_id, rejected_at, entry_index, code, field, message, entry, identifiers)
     select $1, $2, index, code, field, message, entry, identifiers
     from jsonb_to_recordset($3::jsonb)
       as r (index integer, code text, field text, message text, entry text, identifiers text[])`,
    [brandId, new Date(now), JSON.stringify(rows)],
  )
}

/** Replaces NUL characters and lone surrogates, which no text column can store and for which an entry may be refused. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD')
}

export type RejectedRow = {
  readonly id: bigint
  readonly rejectedAt: number
  readonly index: number
  readonly code: string
  readonly field: string | null
  readonly message: string
  readonly entry: string
}

/** A page of refused entries, newest first. */
export async function listRejected(
  tx: Db,
  page: {
    readonly brandId: number
    readonly beforeId: bigint
    readonly since: number
    readonly limit: number
  },
): Promise<RowPage<RejectedRow>> {
  return readPage(tx, {
    text: `select id, rejected_at as "rejectedAt", entry_index as index, code, field, message, entry from rejected_entries
     where brand_id = $1 and id < $2 and rejected_at > $3 order by id desc limit $4`,
    values: [page.brandId, page.beforeId, new Date(page.since), page.limit],
    limit: page.limit,
    kind: 'rows',
  })
}
