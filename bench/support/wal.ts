import type { Database } from '../../src/store/db.ts'

/**
 * The bytes that the server has written ahead so far, pages in full included. The place in the log tells them at once, and
 * `pg_stat_wal` up to ten seconds late.
 */
export async function loadWalBytes(database: Database): Promise<number> {
  const { rows } = await database.query<{ bytes: number }>(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes",
  )
  return rows[0]?.bytes ?? 0
}
