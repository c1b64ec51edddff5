import {
  checkTypeLocks,
  type FindTypeLocks,
  type LockCheck,
  type TypedEntry,
  type TypeLock,
  type TypeLocks,
} from '../../domain/events/type-locks.ts'
import type { Db } from '../db.ts'

type LockRequest<Entry> = {
  readonly brandId: number
  readonly entries: readonly Entry[]
  /** Finds locks that are known to be committed. */
  readonly findLocks: FindTypeLocks
  readonly now: number
}

type AppliedLocks<Entry> = Omit<LockCheck<Entry>, 'newLocks'> & {
  /** Locks that the process may remember once the transaction has committed. */
  readonly learned: readonly TypeLock[]
}

/**
 * Checks attributes against their type locks, and locks the attributes that have none. The check is made again only
 * when another transaction was first to lock one of these attributes, to another type.
 */
export async function applyTypeLocks<Entry extends TypedEntry>(
  tx: Db,
  { brandId, entries, findLocks, now }: LockRequest<Entry>,
): Promise<AppliedLocks<Entry>> {
  const check = checkTypeLocks(entries, findLocks)
  const { newLocks } = check
  if (newLocks.length === 0) return { ...check, learned: [] }
  const learned = await claimLocks(tx, { brandId, now, locks: newLocks })
  const claimed = locksByEvent(learned)
  const isAsAssumed = newLocks.every(
    ({ eventName, attribute, type }) => claimed.get(eventName)?.get(attribute) === type,
  )
  if (isAsAssumed) return { ...check, learned }
  const findAll: FindTypeLocks = (name) => new Map([...(findLocks(name) ?? []), ...(claimed.get(name) ?? [])])
  return { ...checkTypeLocks(entries, findAll), learned }
}

type LockClaim = {
  readonly brandId: number
  /** No two for the same attribute. */
  readonly locks: readonly TypeLock[]
  readonly now: number
}

/**
 * Locks attributes to types and returns the lock of each of them: the first writer wins, across processes. The second
 * writer waits for the first to commit and gets the type of the first; if the first rolls back, the lock is free again.
 */
async function claimLocks(tx: Db, claim: LockClaim): Promise<readonly TypeLock[]> {
  const locks = claim.locks.toSorted(byName)
  const names = [locks.map(({ eventName }) => eventName), locks.map(({ attribute }) => attribute)]
  const { count } = await tx.query(
    `insert into attribute_locks (brand_id, event_name, attribute, type, locked_at, last_seen_at)
     select $1, event_name, attribute, type, $5, $5
     from unnest($2::text[], $3::text[], $4::text[]) as lock (event_name, attribute, type)
     on conflict (brand_id, event_name, attribute) do nothing`,
    [claim.brandId, ...names, locks.map(({ type }) => type), new Date(claim.now)],
  )
  if (count === locks.length) return locks
  // This is a statement of its own: the insert cannot see a lock that was committed after it began.
  const { rows } = await tx.query<TypeLock>(
    `select event_name as "eventName", attribute, type from attribute_locks
     where brand_id = $1 and (event_name, attribute) in (select * from unnest($2::text[], $3::text[]))`,
    [claim.brandId, ...names],
  )
  return rows
}

/** All claims lock in one order, so that two of them can never wait for each other. */
function byName(a: TypeLock, b: TypeLock): number {
  return compare(a.eventName, b.eventName) || compare(a.attribute, b.attribute)
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function locksByEvent(locks: readonly TypeLock[]): ReadonlyMap<string, TypeLocks> {
  const byEvent = Map.groupBy(locks, ({ eventName }) => eventName)
  return new Map(
    [...byEvent].map(([eventName, some]) => [
      eventName,
      new Map(some.map(({ attribute, type }) => [attribute, type])),
    ]),
  )
}
