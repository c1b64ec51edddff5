import type { EventEntry } from '../../domain/event-entry.ts'
import { type Fault, fault } from '../../domain/fault.ts'
import { isJsonObject } from '../../domain/json.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { wallClock } from '../../domain/wall-clock.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'
import { type EntryRules, parseEventEntry } from './event-entry.ts'

/** What the brand decides about its events, and the moment of receipt. */
export type EventSettings = {
  readonly now: number
  readonly timeZone: string
  readonly isMerging: boolean
}

/** An entry that was refused, with what it was, so that the brand can look at it later. */
export type RefusedEntry = { readonly index: number; readonly fault: Fault; readonly given: unknown }

/** A warning about the call as a whole has no index. */
export type EntryWarning = Warning & { readonly index?: number }

/** A call taken apart: each entry judged by itself. */
export type EventBatch = {
  readonly entries: readonly EventEntry[]
  readonly refused: readonly RefusedEntry[]
  readonly warnings: readonly EntryWarning[]
}

/** The body of `POST /api/event`. The call is refused as a whole only when it is no list of 1 to 1000 entries. */
export function parseEventBody(body: unknown, settings: EventSettings): Result<EventBatch> {
  const given = isJsonObject(body) ? body['nv'] : undefined
  if (!Array.isArray(given) || given.length === 0) return reject(fault('parameter_missing', 'nv'))
  const max = EVENT_LIMITS.entriesMax
  if (given.length > max) {
    return reject(fault('too_many_entries', 'nv', { max, actual: given.length }))
  }
  const rules: EntryRules = {
    now: settings.now,
    isMerging: settings.isMerging,
    wallClock: wallClock(settings.timeZone),
    goodEventNames: new Set(),
    goodAttributeNames: new Set(),
  }
  return accept(judge(given, rules, strangersOf(body)))
}

function judge(given: readonly unknown[], rules: EntryRules, strangers: readonly EntryWarning[]): EventBatch {
  const entries: EventEntry[] = []
  const refused: RefusedEntry[] = []
  const warnings: EntryWarning[] = [...strangers]
  for (let index = 0; index < given.length; index++) {
    const parsed = parseEventEntry(given[index], index, rules)
    if (!parsed.ok) {
      refused.push({ index, fault: parsed.rejection.faults[0], given: given[index] })
      continue
    }
    entries.push(parsed.value.entry)
    for (const notice of parsed.value.warnings) warnings.push({ index, ...notice })
  }
  return { entries, refused, warnings }
}

function strangersOf(body: unknown): readonly EntryWarning[] {
  if (!isJsonObject(body)) return []
  return Object.keys(body)
    .filter((name) => name !== 'nv')
    .map((name) => warning('unknown_field', name))
}
