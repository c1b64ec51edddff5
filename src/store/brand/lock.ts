import type { Db } from '../db.ts'

/**
 * Locks one thing of a brand until the transaction ends, so that two transactions that read it before they change it
 * follow each other. `what` has a space in it, which no Idempotency-Key has: those keys are locked with the same
 * function.
 */
export async function lockOfBrand(
  tx: Db,
  brandId: number,
  what:
    | 'count of journeys'
    | 'count of campaigns'
    | 'count of templates'
    | 'snippets of templates'
    | 'webhook endpoints'
    | 'segment references'
    | 'count of virtual devices',
): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($2, $1))', [brandId, what])
}
