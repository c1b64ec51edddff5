import type { EventEntry } from '../domain/event-entry.ts'
import {
  type FindLocks,
  type Fit,
  fitAttributes,
  type Locks,
  type LockWish,
} from '../domain/fit-attributes.ts'
import type { AttributeType } from '../rules/attributes.ts'
import { claimLocks } from './attribute-locks.ts'
import type { Db } from './db.ts'
import { insertBatch } from './event-batch.ts'
import { claimEventIds } from './event-ids.ts'
import { type RejectedEntry, saveRejected } from './rejected-entries.ts'

/** What one call brings: at most 1000 good entries, and those that were refused. */
export type EventCall = {
  readonly entries: readonly EventEntry[]
  readonly rejected: readonly RejectedEntry[]
}

export type Intake = {
  readonly brandId: number
  readonly calls: readonly EventCall[]
  /** Locks that are known to be committed. */
  readonly findLocks: FindLocks
  readonly now: number
}

/** A value that was set aside: by call and by the entry's place in it. */
export type SetAside = {
  readonly call: number
  readonly index: number
  readonly attribute: string
  readonly locked: AttributeType
}

export type Stored = {
  readonly setAside: readonly SetAside[]
  /** Locks that are known for good once the transaction has committed. */
  readonly learned: readonly LockWish[]
}

/**
 * Stores what one or several calls of a brand brought, in the transaction given. The steps that may wait for another
 * transaction (ids, then locks, then new profiles) come in one order everywhere, each with its keys sorted, so that
 * no two calls can wait for each other.
 */
export async function storeEvents(tx: Db, intake: Intake): Promise<Stored> {
  const { brandId, now, calls } = intake
  const arrivals = await dropRepeats(tx, intake)
  const entries = arrivals.map(({ entry }) => entry)
  const { fit, learned } = await fitToLocks(tx, intake, entries)
  if (entries.length > 0) await insertBatch(tx, { brandId, now, fitted: fit.fitted, seen: fit.seen })
  const rejected = calls.flatMap((call) => call.rejected)
  if (rejected.length > 0) await saveRejected(tx, { brandId, now, rejected })
  const setAside = fit.misfits.flatMap(({ place, attribute, locked }) => {
    const arrival = arrivals[place]
    return arrival === undefined
      ? []
      : [{ call: arrival.call, index: arrival.entry.index, attribute, locked }]
  })
  return { setAside, learned }
}

type Arrival = { readonly call: number; readonly entry: EventEntry }

/** An entry whose `event_id` came before, in this transaction or in an earlier one, is not stored again. */
async function dropRepeats(tx: Db, { brandId, now, calls }: Intake): Promise<readonly Arrival[]> {
  const arrivals = calls.flatMap(({ entries }, call) => entries.map((entry) => ({ call, entry })))
  const eventIds = arrivals.flatMap(({ entry }) => (entry.eventId === null ? [] : [entry.eventId]))
  if (eventIds.length === 0) return arrivals
  const free = new Set(await claimEventIds(tx, { brandId, now, eventIds: [...new Set(eventIds)].toSorted() }))
  return arrivals.filter(({ entry }) => entry.eventId === null || free.delete(entry.eventId))
}

/** Fits twice only when somebody else locked an attribute first, and to another type than we took it for. */
async function fitToLocks(
  tx: Db,
  { brandId, now, findLocks }: Intake,
  entries: readonly EventEntry[],
): Promise<{ readonly fit: Fit; readonly learned: readonly LockWish[] }> {
  const fit = fitAttributes(entries, findLocks)
  const { wishes } = fit
  if (wishes.length === 0) return { fit, learned: [] }
  const learned = await claimLocks(tx, { brandId, now, wishes })
  const granted = locksOf(learned)
  const isAsWished = wishes.every(
    ({ eventName, attribute, type }) => granted.get(eventName)?.get(attribute) === type,
  )
  if (isAsWished) return { fit, learned }
  return {
    fit: fitAttributes(entries, (eventName) => joined(findLocks(eventName), granted.get(eventName))),
    learned,
  }
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

function joined(known: Locks | undefined, granted: Locks | undefined): Locks {
  return new Map([...(known ?? []), ...(granted ?? [])])
}
