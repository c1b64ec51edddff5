import type { AttributeType } from '../../rules/attributes.ts'
import type { JsonObject } from '../values/json.ts'
import { fitsLock } from './attribute.ts'

/** Something with attributes: an event under its name, or a profile under the empty one. */
export type Fittable = {
  readonly name: string
  readonly attributes: JsonObject
  /** The type of each attribute, in the order of the keys. */
  readonly types: readonly AttributeType[]
}

/** The locked types of one event's attributes, as far as they are known. */
export type Locks = ReadonlyMap<string, AttributeType>
export type FindLocks = (eventName: string) => Locks | undefined

/** A lock nobody has yet, with the type of the first value that came. */
export type LockWish = {
  readonly eventName: string
  readonly attribute: string
  readonly type: AttributeType
}

/** An entry with its attributes sorted into the shown and the mistyped ones. */
export type Fitted<Entry> = {
  readonly entry: Entry
  readonly shown: JsonObject
  readonly mistyped: JsonObject | null
}

/** A value that did not fit; `place` is that of its entry in the batch. */
export type Misfit = { readonly place: number; readonly attribute: string; readonly locked: AttributeType }

/** How often an attribute's values fitted its lock, and how often not: `{ event: { attribute: [7, 0] } }`. */
export type AttributesSeen = Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>>

export type Fit<Entry> = {
  readonly fitted: readonly Fitted<Entry>[]
  readonly misfits: readonly Misfit[]
  readonly seen: AttributesSeen
  /** Locks that were taken for granted. They must be asked for before anything here is stored. */
  readonly wishes: readonly LockWish[]
}

/**
 * Holds the attributes of a batch against their locks (spec §8, rule 3). An attribute without a lock is taken for
 * the type it comes with first.
 */
export function fitAttributes<Entry extends Fittable>(
  entries: readonly Entry[],
  findLocks: FindLocks,
): Fit<Entry> {
  const sheet: Sheet = { findLocks, events: new Map(), wishes: [] }
  const misfits: Misfit[] = []
  const fitted = entries.map((entry, place) => fitEntry(entry, { place, sheet, misfits }))
  return { fitted, misfits, seen: seenOf(sheet), wishes: sheet.wishes }
}

type Tally = { readonly type: AttributeType; shown: number; mistyped: number }
type Event = { readonly locks: Locks | undefined; readonly tallies: Map<string, Tally> }
type Sheet = {
  readonly findLocks: FindLocks
  readonly events: Map<string, Event>
  readonly wishes: LockWish[]
}

type Desk = { readonly place: number; readonly sheet: Sheet; readonly misfits: Misfit[] }

/** Nearly every entry fits as it is, and then nothing is copied. */
function fitEntry<Entry extends Fittable>(entry: Entry, { place, sheet, misfits }: Desk): Fitted<Entry> {
  const event = eventOf(sheet, entry.name)
  const before = misfits.length
  let at = 0
  for (const attribute in entry.attributes) {
    const type = entry.types[at++]
    if (type === undefined) break
    const tally =
      event.tallies.get(attribute) ?? openTally(sheet, event, { eventName: entry.name, attribute, type })
    if (fitsLock(tally.type, type)) {
      tally.shown += 1
      continue
    }
    tally.mistyped += 1
    misfits.push({ place, attribute, locked: tally.type })
  }
  if (misfits.length === before) return { entry, shown: entry.attributes, mistyped: null }
  const names = new Set(misfits.slice(before).map(({ attribute }) => attribute))
  return { entry, ...split(entry.attributes, names) }
}

function eventOf(sheet: Sheet, eventName: string): Event {
  const known = sheet.events.get(eventName)
  if (known !== undefined) return known
  const event = { locks: sheet.findLocks(eventName), tallies: new Map() }
  sheet.events.set(eventName, event)
  return event
}

function openTally(sheet: Sheet, event: Event, wish: LockWish): Tally {
  const locked = event.locks?.get(wish.attribute)
  if (locked === undefined) sheet.wishes.push(wish)
  const tally = { type: locked ?? wish.type, shown: 0, mistyped: 0 }
  event.tallies.set(wish.attribute, tally)
  return tally
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

function seenOf(sheet: Sheet): AttributesSeen {
  const events = [...sheet.events].map(([eventName, { tallies }]) => {
    const counts = [...tallies].map(([attribute, { shown, mistyped }]) => [attribute, [shown, mistyped]])
    return [eventName, Object.fromEntries(counts)]
  })
  return Object.fromEntries(events)
}
