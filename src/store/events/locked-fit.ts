import {
  type FindLocks,
  type Fit,
  type Fittable,
  fitAttributes,
  type Locks,
  type LockWish,
} from '../../domain/events/fit-attributes.ts'
import type { Db } from '../db.ts'
import { claimLocks } from './attribute-locks.ts'

export type FitRequest<Entry> = {
  readonly brandId: number
  readonly entries: readonly Entry[]
  /** Finds type locks that are known to be committed. */
  readonly findLocks: FindLocks
  readonly now: number
}

/** `learned` are locks that are certain once the transaction has committed. */
export type LockedFit<Entry> = { readonly fit: Fit<Entry>; readonly learned: readonly LockWish[] }

/**
 * Sorts attributes by their type locks, and locks those that have none. A second pass is necessary only when another
 * call locked an attribute first, and to another type.
 */
export async function fitToLocks<Entry extends Fittable>(
  tx: Db,
  { brandId, entries, findLocks, now }: FitRequest<Entry>,
): Promise<LockedFit<Entry>> {
  const fit = fitAttributes(entries, findLocks)
  const { wishes } = fit
  if (wishes.length === 0) return { fit, learned: [] }
  const learned = await claimLocks(tx, { brandId, now, wishes })
  const granted = locksOf(learned)
  const isAsWished = wishes.every((wish) => granted.get(wish.eventName)?.get(wish.attribute) === wish.type)
  if (isAsWished) return { fit, learned }
  const findAll: FindLocks = (name) => new Map([...(findLocks(name) ?? []), ...(granted.get(name) ?? [])])
  return { fit: fitAttributes(entries, findAll), learned }
}

function locksOf(locks: readonly LockWish[]): ReadonlyMap<string, Locks> {
  const byEvent = Map.groupBy(locks, ({ eventName }) => eventName)
  return new Map(
    [...byEvent].map(([eventName, some]) => [
      eventName,
      new Map(some.map(({ attribute, type }) => [attribute, type])),
    ]),
  )
}
