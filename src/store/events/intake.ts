import { type EventEntry, eventSourceOf } from '../../domain/events/entry.ts'
import type { FindTypeLocks, TypeLock } from '../../domain/events/type-locks.ts'
import type { AttributeType } from '../../rules/attributes.ts'
import type { Db } from '../db.ts'
import { settleIdentities } from '../people/identities.ts'
import { insertBatch } from './batch.ts'
import { claimEventIds, type SourcedEventId } from './ids.ts'
import { type RejectedEntry, saveRejected } from './rejected-entries.ts'
import { applyTypeLocks } from './type-locks.ts'

/** The entries of one call: at most 1000 good ones, and the refused ones. */
export type EventCall = {
  readonly entries: readonly EventEntry[]
  readonly rejected: readonly RejectedEntry[]
  /** Whether the brand merges profiles; read together with the entries. */
  readonly isMerging: boolean
  /** The bytes of the call, if they contain exactly the entries. */
  readonly body?: Uint8Array | undefined
}

export type Intake = {
  readonly brandId: number
  readonly calls: readonly EventCall[]
  /** Finds type locks that are known to be committed. */
  readonly findLocks: FindTypeLocks
  readonly now: number
}

/**
 * A value of another type than the locked one. It is stored and not shown. `index` is the entry's position in its
 * call.
 */
export type MistypedValue = {
  readonly call: number
  readonly index: number
  readonly attribute: string
  readonly locked: AttributeType
}

/** A value that locked an attribute to another type than browsers had sent before. */
export type OverruledValue = MistypedValue & { readonly before: AttributeType }

/** An entry that is not stored, because its `event_id` came before from the same source. */
export type DuplicateEntry = { readonly call: number; readonly index: number }

/** An event of a person who was not known before. It counts as before the profile's creation and starts no journey. */
export type NewcomerEvent = { readonly call: number; readonly index: number; readonly eventName: string }

export type Stored = {
  readonly mistyped: readonly MistypedValue[]
  readonly duplicates: readonly DuplicateEntry[]
  readonly overruled: readonly OverruledValue[]
  readonly newcomers: readonly NewcomerEvent[]
  /** Locks that are certain once the transaction has committed. */
  readonly learned: readonly TypeLock[]
}

/**
 * Stores the entries of one or several calls of a brand, in the given transaction. The steps that may wait for another
 * transaction (event ids, then type locks, then new profiles) come in the same order everywhere, each with sorted
 * keys, so that no two calls wait for each other.
 */
export async function storeEvents(tx: Db, intake: Intake): Promise<Stored> {
  const { brandId, now, calls } = intake
  const { arrivals, duplicates } = await dropRepeats(tx, intake)
  const entries = arrivals.map(({ entry }) => entry)
  const applied = await applyTypeLocks(tx, { ...intake, entries })
  const newcomers = await settlePeople(tx, intake, arrivals)
  let unknown: ReadonlySet<number> = new Set()
  if (entries.length > 0) {
    const isWhole = calls.length === 1 && entries.length === calls[0]?.entries.length
    const body = (isWhole && applied.mistyped.length === 0 && !calls[0]?.isMerging && calls[0]?.body) || null
    unknown = await insertBatch(tx, { brandId, now, newcomers, body, ...applied })
  }
  const rejected = calls.flatMap((call) => call.rejected)
  if (rejected.length > 0) await saveRejected(tx, { brandId, now, rejected })
  const mistyped = applied.mistyped.flatMap(({ position, attribute, locked }) => {
    const arrival = arrivals[position]
    return arrival === undefined
      ? []
      : [{ call: arrival.call, index: arrival.entry.index, attribute, locked }]
  })
  const overruled = applied.overruled.flatMap(({ position, attribute, type: locked, before }) => {
    const arrival = arrivals[position]
    if (arrival === undefined) return []
    return [{ call: arrival.call, index: arrival.entry.index, attribute, locked, before }]
  })
  const unheard = arrivals
    .filter((_, position) => unknown.has(position))
    .map(({ call, entry }) => ({ call, index: entry.index, eventName: entry.name }))
  return { mistyped, duplicates, overruled, newcomers: unheard, learned: applied.learned }
}

type Arrival = { readonly call: number; readonly entry: EventEntry }

type Arrivals = { readonly arrivals: readonly Arrival[]; readonly duplicates: readonly DuplicateEntry[] }

/** An entry whose `event_id` came before, in this transaction or in an earlier one, is not stored again. */
async function dropRepeats(tx: Db, { brandId, now, calls }: Intake): Promise<Arrivals> {
  const all = calls.flatMap(({ entries }, call) => entries.map((entry) => ({ call, entry })))
  const ids = new Map(all.flatMap(({ entry }) => sourcedIdOf(entry)).map((id) => [textOf(id), id]))
  if (ids.size === 0) return { arrivals: all, duplicates: [] }
  const claimed = await claimEventIds(tx, { brandId, now, ids: [...ids.values()] })
  const free = new Set(claimed.map(textOf))
  const arrivals: Arrival[] = []
  const duplicates: DuplicateEntry[] = []
  for (const arrival of all) {
    const [id] = sourcedIdOf(arrival.entry)
    if (id === undefined || free.delete(textOf(id))) arrivals.push(arrival)
    else duplicates.push({ call: arrival.call, index: arrival.entry.index })
  }
  return { arrivals, duplicates }
}

function sourcedIdOf({ eventId, who }: EventEntry): readonly SourcedEventId[] {
  return eventId === null ? [] : [{ source: eventSourceOf(who), eventId }]
}

/** A source has no space in it. */
function textOf({ source, eventId }: SourcedEventId): string {
  return `${source} ${eventId}`
}

/**
 * Where the brand merges profiles, identities are settled before events are stored. New profiles are created a moment
 * after their events (spec §4.2, E2).
 */
async function settlePeople(
  tx: Db,
  { brandId, now, calls }: Intake,
  arrivals: readonly Arrival[],
): Promise<ReadonlySet<string>> {
  if (!calls.some(({ isMerging }) => isMerging)) return NOBODY
  const merging = arrivals.filter(({ call }) => calls[call]?.isMerging === true)
  const people = merging.map(({ entry }) => entry.who)
  return people.length === 0 ? NOBODY : settleIdentities(tx, { brandId, people, now, createdAt: now + 1 })
}

const NOBODY: ReadonlySet<string> = new Set()
