import type { Db } from './db.ts'

/**
 * Makes those who count something of a brand before they add to it wait for each other, until the transaction ends, and
 * nobody else. The name has a space in it, which no Idempotency-Key has: those are locked in the same way.
 */
export async function lockOfBrand(
  tx: Db,
  brandId: number,
  what: 'count of journeys' | 'webhook endpoints',
): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($2, $1))', [brandId, what])
}
