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

export type EntryParser<Entry> = (given: unknown, index: number) => Result<ParsedEntry<Entry>>

/** A body with the list `nv`. It is refused as a whole only when that is no list of 1 to `entriesMax` entries. */
export function parseEntryList<Entry>(
  body: unknown,
  entriesMax: number,
  parseEntry: EntryParser<Entry>,
): Result<EntryList<Entry>> {
  const given = entriesOf(body, entriesMax)
  if (!given.ok) return given
  const judge = new EntryJudge(parseEntry, unknownFieldWarnings(body))
  for (const [index, entry] of given.value.entries()) judge.add(entry, index)
  return accept(judge.list())
}

/** The same for a list that may be long: `pass` is called between two entries and may let others run. */
export async function parseLongEntryList<Entry>(
  body: unknown,
  entriesMax: number,
  { parseEntry, pass }: { readonly parseEntry: EntryParser<Entry>; readonly pass: () => Promise<void> },
): Promise<Result<EntryList<Entry>>> {
  const given = entriesOf(body, entriesMax)
  if (!given.ok) return given
  const judge = new EntryJudge(parseEntry, unknownFieldWarnings(body))
  for (const [index, entry] of given.value.entries()) {
    judge.add(entry, index)
    await pass()
  }
  return accept(judge.list())
}

function entriesOf(body: unknown, entriesMax: number): Result<readonly unknown[]> {
  const given = isJsonObject(body) ? body['nv'] : undefined
  if (!Array.isArray(given) || given.length === 0) {
    // The contract fixes the first fault; the second says what to send.
    const expected = `a list of 1 to ${entriesMax} entries`
    return reject(fault('parameter_missing', 'nv'), fault('field_type', 'nv', { expected }))
  }
  if (given.length > entriesMax) {
    return reject(fault('too_many_entries', 'nv', { max: entriesMax, actual: given.length }))
  }
  return accept(given)
}

/** Judges entries one by one, and collects what became of them. */
class EntryJudge<Entry> {
  readonly #parseEntry: EntryParser<Entry>
  readonly #entries: Entry[] = []
  readonly #refused: RefusedEntry[] = []
  readonly #warnings: EntryWarning[]
  #isPlain: boolean

  constructor(parseEntry: EntryParser<Entry>, bodyWarnings: readonly EntryWarning[]) {
    this.#parseEntry = parseEntry
    this.#warnings = [...bodyWarnings]
    this.#isPlain = bodyWarnings.length === 0
  }

  add(given: unknown, index: number): void {
    const parsed = this.#parseEntry(given, index)
    if (!parsed.ok) {
      this.#isPlain = false
      this.#refused.push({ index, fault: parsed.rejection.faults[0], given })
      return
    }
    if (parsed.value.isPlain !== true) this.#isPlain = false
    this.#entries.push(parsed.value.entry)
    // The members are named, because a spread object takes more memory, and there may be very many.
    for (const { field, code, message } of parsed.value.warnings) {
      this.#warnings.push({ index, field, code, message })
    }
  }

  list(): EntryList<Entry> {
    return {
      entries: this.#entries,
      refused: this.#refused,
      warnings: this.#warnings,
      isPlain: this.#isPlain,
    }
  }
}

function unknownFieldWarnings(body: unknown): readonly EntryWarning[] {
  if (!isJsonObject(body)) return []
  return Object.keys(body)
    .filter((name) => name !== 'nv')
    .map((name) => warning('unknown_field', name))
}
