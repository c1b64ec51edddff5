import type { AttributeShape } from '../../domain/events/attributes.ts'
import type { EventEntry } from '../../domain/events/entry.ts'
import type { Identifiers } from '../../domain/people/identifiers.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import { parseScannedJson } from '../../domain/values/json-bytes.ts'

/**
 * The same entries without their attributes and contexts. These are about a million bytes of small objects for a long call, which each
 * collection of garbage would copy while the call waits for the database. They are seldom needed, because the database stores the bytes of the
 * call as they are. If they are needed, as for the events of people who are not known yet, the bytes are parsed once more.
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
