import type { Database } from '../../src/store/db.ts'

/** The bytes that the server has written ahead so far, pages in full included. */
export async function loadWalBytes(database: Database): Promise<number> {
  const { rows } = await database.query<{ bytes: number }>(
    'select wal_bytes::float8 as bytes from pg_stat_wal',
  )
  return rows[0]?.bytes ?? 0
}
