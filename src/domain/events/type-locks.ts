import type { AttributeType } from '../../rules/attributes.ts'
import { type Identifiers, isBrowser } from '../people/identifiers.ts'
import type { JsonObject } from '../values/json.ts'
import { fitsLock } from './attribute.ts'
import type { AttributeShape } from './attributes.ts'

/** An entry with attributes. The name is that of an event, or empty for a profile. */
export type TypedEntry = {
  readonly name: string
  readonly attributes: JsonObject
  readonly shape: AttributeShape
  /** The person; absent for a value that Beckon itself sets. */
  readonly who?: Identifiers
}

/**
 * A provisional lock was made by a browser, or was reset. It binds browsers; the first value of a secret key replaces
 * it, because everybody has a publishable key and none may decide against the brand's own servers.
 */
type LockedType = { readonly type: AttributeType; readonly isProvisional: boolean }

/** The type lock of one attribute of one event. */
export type TypeLock = LockedType & { readonly eventName: string; readonly attribute: string }

/** The locked type of each attribute of one event, as far as the locks are known. */
export type TypeLocks = ReadonlyMap<string, LockedType>
export type FindTypeLocks = (eventName: string) => TypeLocks | undefined

/** An entry whose attributes are sorted: shown if they fit their lock, mistyped if not. */
export type CheckedEntry<Entry> = {
  readonly entry: Entry
  readonly shown: JsonObject
  readonly mistyped: JsonObject | null
}

/** An attribute whose value does not fit its lock; `position` is that of its entry in the batch. */
type MistypedAttribute = {
  readonly position: number
  readonly attribute: string
  readonly locked: AttributeType
}

/** How many values of an attribute were shown, and how many mistyped: `{ event: { attribute: [7, 0] } }`. */
export type AttributeCounts = Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>>

export type LockCheck<Entry> = {
  readonly entries: readonly CheckedEntry<Entry>[]
  readonly mistyped: readonly MistypedAttribute[]
  readonly attributeCounts: AttributeCounts
  /** Locks that this check assumed. They must be claimed before anything of it is stored. */
  readonly newLocks: readonly NewLock[]
}

/** A lock to be claimed; `position` is that of the entry with the first value. */
export type NewLock = TypeLock & { readonly position: number }

/**
 * Checks the attributes of a batch against their type locks (spec §8, rule 3). The first value of an attribute without
 * a lock is assumed to lock it. Entries of browsers are checked last, so that they follow the others of their batch.
 */
export function checkTypeLocks<Entry extends TypedEntry>(
  entries: readonly Entry[],
  findLocks: FindTypeLocks,
): LockCheck<Entry> {
  const state: CheckState = { findLocks, events: new Map(), newLocks: [], mistyped: [] }
  const browsers: number[] = []
  const checked = entries.map((entry, position): CheckedEntry<Entry> => {
    if (!isFromBrowser(entry)) return checkEntry(state, entry, position)
    browsers.push(position)
    return new FittingEntry(entry)
  })
  for (const position of browsers) {
    const entry = entries[position]
    if (entry !== undefined) checked[position] = checkEntry(state, entry, position)
  }
  const { mistyped, newLocks } = state
  return { entries: checked, mistyped, attributeCounts: countsOf(state), newLocks }
}

function isFromBrowser({ who }: TypedEntry): boolean {
  return who !== undefined && isBrowser(who)
}

type AttributeTally = { readonly type: AttributeType; shown: number; mistyped: number }
type EventTally = {
  readonly locks: TypeLocks | undefined
  readonly attributes: Map<string, AttributeTally>
  /** The tallies of each shape whose types all fit. */
  readonly fitting: Map<AttributeShape, readonly AttributeTally[]>
}

/** The results of a check so far. */
type CheckState = {
  readonly findLocks: FindTypeLocks
  readonly events: Map<string, EventTally>
  readonly newLocks: NewLock[]
  readonly mistyped: MistypedAttribute[]
}

/** An entry that fits its locks. Its attributes are not looked at: a long call would have to read them again. */
class FittingEntry<Entry extends TypedEntry> implements CheckedEntry<Entry> {
  readonly entry: Entry
  readonly mistyped = null

  constructor(entry: Entry) {
    this.entry = entry
  }

  get shown(): JsonObject {
    return this.entry.attributes
  }
}

/** Nearly every entry fits its locks, and has the same attributes as others of its event. */
function checkEntry<Entry extends TypedEntry>(
  state: CheckState,
  entry: Entry,
  position: number,
): CheckedEntry<Entry> {
  const { mistyped } = state
  const { shape } = entry
  const event = eventTally(state, entry.name)
  const known = event.fitting.get(shape)
  if (known !== undefined) {
    for (const tally of known) tally.shown += 1
    return new FittingEntry(entry)
  }
  const before = mistyped.length
  const tallies: AttributeTally[] = []
  for (const [at, type] of shape.types.entries()) {
    const attribute = shape.names[at]
    if (attribute === undefined) break
    const tally =
      event.attributes.get(attribute) ?? newTally(state, event, { entry, attribute, type, position })
    tallies.push(tally)
    if (fitsLock(tally.type, type)) {
      tally.shown += 1
      continue
    }
    tally.mistyped += 1
    mistyped.push({ position, attribute, locked: tally.type })
  }
  if (mistyped.length === before) {
    event.fitting.set(shape, tallies)
    return new FittingEntry(entry)
  }
  const names = new Set(mistyped.slice(before).map(({ attribute }) => attribute))
  return { entry, ...split(entry.attributes, names) }
}

function eventTally(state: CheckState, eventName: string): EventTally {
  const known = state.events.get(eventName)
  if (known !== undefined) return known
  const event = { locks: state.findLocks(eventName), attributes: new Map(), fitting: new Map() }
  state.events.set(eventName, event)
  return event
}

/** The tally of an attribute that the batch has for the first time. */
function newTally(state: CheckState, event: EventTally, first: FirstValue): AttributeTally {
  const { entry, attribute, position } = first
  const isProvisional = isFromBrowser(entry)
  const locked = event.locks?.get(attribute)
  const isBound = locked !== undefined && (isProvisional || !locked.isProvisional)
  const type = isBound ? locked.type : first.type
  if (!isBound) state.newLocks.push({ eventName: entry.name, attribute, type, isProvisional, position })
  const tally = { type, shown: 0, mistyped: 0 }
  event.attributes.set(attribute, tally)
  return tally
}

type FirstValue = {
  readonly entry: TypedEntry
  readonly attribute: string
  readonly type: AttributeType
  readonly position: number
}

function split(
  attributes: JsonObject,
  names: ReadonlySet<string>,
): { readonly shown: JsonObject; readonly mistyped: JsonObject } {
  const members = Object.entries(attributes)
  return {
    shown: Object.fromEntries(members.filter(([name]) => !names.has(name))),
    mistyped: Object.fromEntries(members.filter(([name]) => names.has(name))),
  }
}

function countsOf({ events }: CheckState): AttributeCounts {
  const counted = [...events].map(([eventName, { attributes }]) => {
    const counts = [...attributes].map(([attribute, { shown, mistyped }]) => [attribute, [shown, mistyped]])
    return [eventName, Object.fromEntries(counts)]
  })
  return Object.fromEntries(counted)
}
