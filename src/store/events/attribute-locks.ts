import type { LockWish } from '../../domain/events/fit-attributes.ts'
import type { Db } from '../db.ts'

export type LockClaim = {
  readonly brandId: number
  /** At most one for each attribute. */
  readonly wishes: readonly LockWish[]
  readonly now: number
}

/**
 * Locks attributes to types, and gives the lock of every attribute in the claim. The first writer wins, across
 * processes: a second one waits for the first to commit and gets its type. After a rollback of the first, the lock is
 * free again.
 */
export async function claimLocks(tx: Db, claim: LockClaim): Promise<readonly LockWish[]> {
  const wishes = claim.wishes.toSorted(byName)
  const names = [wishes.map((wish) => wish.eventName), wishes.map((wish) => wish.attribute)]
  const { count } = await tx.query(
    `insert into attribute_locks (brand_id, event_name, attribute, type, locked_at, last_seen_at)
     select $1, event_name, attribute, type, $5, $5
     from unnest($2::text[], $3::text[], $4::text[]) as wish (event_name, attribute, type)
     on conflict (brand_id, event_name, attribute) do nothing`,
    [claim.brandId, ...names, wishes.map((wish) => wish.type), new Date(claim.now)],
  )
  if (count === wishes.length) return wishes
  // This is a statement of its own, because the insert cannot see a lock that was committed after it began.
  const { rows } = await tx.query<LockWish>(
    `select event_name as "eventName", attribute, type from attribute_locks
     where brand_id = $1 and (event_name, attribute) in (select * from unnest($2::text[], $3::text[]))`,
    [claim.brandId, ...names],
  )
  return rows
}

/** Claims of the same attributes are made in one order, so that no two of them wait for each other. */
function byName(a: LockWish, b: LockWish): number {
  return compare(a.eventName, b.eventName) || compare(a.attribute, b.attribute)
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
