import type { Db } from '../db.ts'

/**
 * Makes those who look at something of a brand before they change it wait for each other, until the transaction ends, and
 * nobody else. The name has a space in it, which no Idempotency-Key has: those are locked in the same way.
 */
export async function lockOfBrand(
  tx: Db,
  brandId: number,
  what: 'count of journeys' | 'webhook endpoints' | 'segment references',
): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($2, $1))', [brandId, what])
}
