import { type Fault, fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import { type Warning, warning } from '../../domain/warning.ts'

/** A refused entry with its content, so that the brand can read it later. */
export type RefusedEntry = { readonly index: number; readonly fault: Fault; readonly given: unknown }

/** A warning about the call as a whole has no index. */
export type EntryWarning = Warning & { readonly index?: number }

/** The entries of a call. Each was checked by itself. */
export type EntryList<Entry> = {
  readonly entries: readonly Entry[]
  readonly refused: readonly RefusedEntry[]
  readonly warnings: readonly EntryWarning[]
  /** Whether the body can be stored unchanged: no entry is refused, and no part is left out. */
  readonly isPlain: boolean
}

export type ParsedEntry<Entry> = {
  readonly entry: Entry
  readonly warnings: readonly Warning[]
  /** Whether the entry is stored unchanged. */
  readonly isPlain?: boolean
}

type EntryParser<Entry> = (given: unknown, index: number) => Result<ParsedEntry<Entry>>

/** A body with the list `nv`. It is refused as a whole only when that is no list of 1 to `entriesMax` entries. */
export function parseEntryList<Entry>(
  body: unknown,
  entriesMax: number,
  parseEntry: EntryParser<Entry>,
): Result<EntryList<Entry>> {
  const given = isJsonObject(body) ? body['nv'] : undefined
  if (!Array.isArray(given) || given.length === 0) {
    // The contract fixes the first fault; the second says what to send.
    const expected = `a list of 1 to ${entriesMax} entries`
    return reject(fault('parameter_missing', 'nv'), fault('field_type', 'nv', { expected }))
  }
  if (given.length > entriesMax) {
    return reject(fault('too_many_entries', 'nv', { max: entriesMax, actual: given.length }))
  }
  return accept(judge(given, parseEntry, unknownFieldWarnings(body)))
}

function judge<Entry>(
  given: readonly unknown[],
  parseEntry: EntryParser<Entry>,
  bodyWarnings: readonly EntryWarning[],
): EntryList<Entry> {
  const entries: Entry[] = []
  const refused: RefusedEntry[] = []
  const warnings: EntryWarning[] = [...bodyWarnings]
  let isPlain = bodyWarnings.length === 0
  for (let index = 0; index < given.length; index++) {
    const parsed = parseEntry(given[index], index)
    if (!parsed.ok) {
      refused.push({ index, fault: parsed.rejection.faults[0], given: given[index] })
      continue
    }
    if (parsed.value.isPlain !== true) isPlain = false
    entries.push(parsed.value.entry)
    for (const notice of parsed.value.warnings) warnings.push({ index, ...notice })
  }
  return { entries, refused, warnings, isPlain: isPlain && refused.length === 0 }
}

function unknownFieldWarnings(body: unknown): readonly EntryWarning[] {
  if (!isJsonObject(body)) return []
  return Object.keys(body)
    .filter((name) => name !== 'nv')
    .map((name) => warning('unknown_field', name))
}
