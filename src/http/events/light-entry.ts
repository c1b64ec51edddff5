import type { AttributeShape } from '../../domain/events/attributes.ts'
import type { EventEntry } from '../../domain/events/entry.ts'
import type { Identifiers } from '../../domain/people/identifiers.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import { parseScannedJson } from '../../domain/values/json-bytes.ts'

/**
 * The same entries without their attributes and contexts, which are read from the bytes of the call once more if somebody asks for them.
 * A long call waits for the database with a million bytes of small objects, which each collection of garbage would copy. It is seldom
 * asked for them: its bytes are stored as they are, unless it names people who are not known yet.
 */
export function lightEntries(entries: readonly EventEntry[], bytes: Uint8Array): readonly EventEntry[] {
  const sent = new SentEntries(bytes)
  return entries.map((entry) => new LightEntry(entry, sent))
}

/** The list `nv` of a call, parsed when it is asked for. */
class SentEntries {
  readonly #bytes: Uint8Array
  #entries: readonly unknown[] | null = null

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  at(index: number): JsonObject {
    this.#entries ??= this.#parse()
    const entry = this.#entries[index]
    if (!isJsonObject(entry))
      throw new Error('a call that was parsed has no such entry when it is parsed again')
    return entry
  }

  #parse(): readonly unknown[] {
    const body = parseScannedJson(this.#bytes)
    const list = body.ok && isJsonObject(body.value) ? body.value['nv'] : undefined
    return Array.isArray(list) ? list : []
  }
}

class LightEntry implements EventEntry {
  readonly #sent: SentEntries
  readonly index: number
  readonly who: Identifiers
  readonly name: string
  readonly at: number
  readonly lastAt: number | null
  readonly ltv: string
  readonly shape: AttributeShape
  readonly bytes: number
  readonly eventId: string | null

  constructor(entry: EventEntry, sent: SentEntries) {
    this.#sent = sent
    this.index = entry.index
    this.who = entry.who
    this.name = entry.name
    this.at = entry.at
    this.lastAt = entry.lastAt
    this.ltv = entry.ltv
    this.shape = entry.shape
    this.bytes = entry.bytes
    this.eventId = entry.eventId
  }

  get attributes(): JsonObject {
    const { attributes } = this.#sent.at(this.index)
    return isJsonObject(attributes) ? attributes : {}
  }

  get context(): JsonObject | null {
    const { context } = this.#sent.at(this.index)
    return isJsonObject(context) ? context : null
  }
}
