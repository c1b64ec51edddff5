import type { EventEntry } from '../../domain/events/entry.ts'
import type { Result } from '../../domain/result.ts'
import { wallClock } from '../../domain/values/wall-clock.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'
import type { LoopSlice } from '../../runtime/limits/loop-share.ts'
import { type EntryList, type EntryParser, parseEntryList, parseLongEntryList } from '../fields/entry-list.ts'
import { type EntryRules, parseEventEntry } from './entry.ts'
import { emptyLockBook, type LockBook } from './lock-book.ts'

/** The brand's settings for events, and the moment of receipt. */
export type EventSettings = {
  readonly now: number
  readonly timeZone: string
  readonly isMerging: boolean
  /** Locks that decide about the maxima of types; none if absent. */
  readonly locks?: LockBook
}

export type EventEntries = EntryList<EventEntry>

/** The body of `POST /api/event` (decisions §4). */
export function parseEventBody(body: unknown, settings: EventSettings): Result<EventEntries> {
  const rules = entryRules(settings)
  return parseEntryList(body, EVENT_LIMITS.entriesMax, (given, index) => parseEventEntry(given, index, rules))
}

/** The same for a long list, in slices. */
export async function parseLongEventBody(
  body: unknown,
  settings: EventSettings,
  { pass }: LoopSlice,
): Promise<Result<EventEntries>> {
  const rules = entryRules(settings)
  const parseEntry: EntryParser<EventEntry> = (given, index) => parseEventEntry(given, index, rules)
  return parseLongEntryList(body, EVENT_LIMITS.entriesMax, { parseEntry, pass })
}

/** Each call has its own parser, because the names and hours that the parser remembers repeat only within a call. */
export function entryRules({ now, timeZone, isMerging, locks }: EventSettings): EntryRules {
  return {
    now,
    isMerging,
    locks: locks ?? emptyLockBook(),
    wallClock: wallClock(timeZone),
    goodEventNames: new Set(),
    goodAttributeNames: new Set(),
    shapes: new Map(),
    unusedContacts: new Set(),
  }
}
