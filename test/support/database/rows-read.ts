import type { Db } from '../../../src/store/db.ts'

/** The rows of a table that this transaction has read. */
export async function rowsRead(tx: Db, table: string): Promise<number> {
  const { rows } = await tx.query<{ read: bigint }>(
    'select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relname = $1',
    [table],
  )
  return Number(rows[0]?.read)
}
