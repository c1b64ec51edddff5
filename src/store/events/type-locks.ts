import {
  checkTypeLocks,
  type FindTypeLocks,
  type LockCheck,
  type TypedEntry,
  type TypeLock,
  type TypeLocks,
} from '../../domain/events/type-locks.ts'
import type { Db } from '../db.ts'
import { claimLocks, type OverruledLock } from './lock-claims.ts'

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
  readonly overruled: readonly OverruledLock[]
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
  if (newLocks.length === 0) return { ...check, learned: [], overruled: [] }
  const { locks: learned, overruled } = await claimLocks(tx, { brandId, now, locks: newLocks })
  const claimed = locksByEvent(learned)
  const isAsAssumed = newLocks.every(
    ({ eventName, attribute, type }) => claimed.get(eventName)?.get(attribute)?.type === type,
  )
  if (isAsAssumed) return { ...check, learned, overruled }
  const findAll: FindTypeLocks = (name) => new Map([...(findLocks(name) ?? []), ...(claimed.get(name) ?? [])])
  return { ...checkTypeLocks(entries, findAll), learned, overruled }
}

function locksByEvent(locks: readonly TypeLock[]): ReadonlyMap<string, TypeLocks> {
  const byEvent = Map.groupBy(locks, ({ eventName }) => eventName)
  return new Map(
    [...byEvent].map(([eventName, some]) => [eventName, new Map(some.map((lock) => [lock.attribute, lock]))]),
  )
}
