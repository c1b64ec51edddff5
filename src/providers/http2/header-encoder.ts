import { Fifo } from '../fifo.ts'
import { FRAME_BYTES_MAX } from './frame.ts'
import { type Form, HeaderWriter } from './header-writer.ts'

/** A header list in the order in which it is sent: the pseudo-headers first. */
export type HeaderList = readonly (readonly [name: string, value: string])[]

/**
 * Writes header blocks (HPACK, RFC 7541). A header that all messages of a broadcast share, above all the token, goes into
 * the table that both sides keep, and takes one or two bytes from then on. A header of one message, above all the path
 * with a device's address, is marked so that no proxy on the way keeps it.
 */
export class HeaderEncoder {
  readonly #numbers = new Map<string, number>()
  readonly #entries = new Fifo<Entry>()
  #bytes = 0
  #bytesMax = TABLE_BYTES
  #added = 0
  #isShrunk = false

  /** The peer keeps a smaller table, and our next block must confirm that. We never ask for a larger table. */
  shrink(bytesMax: number): void {
    if (bytesMax >= this.#bytesMax) return
    this.#bytesMax = bytesMax
    this.#isShrunk = true
    this.#dropDownTo(bytesMax)
  }

  /** Writes the block to the buffer and returns where it ends. `checkHeaders` must have accepted the list. */
  write(buffer: Buffer, start: number, headers: HeaderList): number {
    const writer = new HeaderWriter(buffer, start)
    if (this.#isShrunk) writer.number(TABLE_SIZE, this.#bytesMax)
    this.#isShrunk = false
    for (const [name, value] of headers) this.#writeOne(writer, name, value)
    return writer.at
  }

  #writeOne(writer: HeaderWriter, name: string, value: string): void {
    const key = `${name}\n${value}`
    const number = this.#numbers.get(key)
    if (number !== undefined) return writer.number(KNOWN, STATIC_ENTRIES + this.#added - number)
    const nameNumber = NAME_NUMBERS[name]
    writer.number(this.#formOf(name, key), nameNumber ?? 0)
    if (nameNumber === undefined) writer.text(name)
    writer.text(value)
  }

  #formOf(name: string, key: string): Form {
    if (OWN.has(name)) return NEVER_KEPT
    return this.#keep(key) ? KEPT : NOT_KEPT
  }

  #keep(key: string): boolean {
    const bytes = key.length - 1 + ENTRY_BYTES
    if (bytes > this.#bytesMax) return false
    this.#dropDownTo(this.#bytesMax - bytes)
    this.#numbers.set(key, this.#added)
    this.#entries.push({ key, bytes })
    this.#added += 1
    this.#bytes += bytes
    return true
  }

  /** Drops the oldest entries; the peer does the same by the same rule. */
  #dropDownTo(bytesMax: number): void {
    while (this.#bytes > bytesMax) {
      const oldest = this.#entries.shift()
      if (oldest === undefined) return
      this.#numbers.delete(oldest.key)
      this.#bytes -= oldest.bytes
    }
  }
}

/** Throws for headers that HTTP/2 cannot carry. It must run before the table changes, or the two tables would differ. */
export function checkHeaders(headers: HeaderList): void {
  let bytes = 0
  for (const [name, value] of headers) {
    if (UNSENDABLE.test(value)) throw new Error(`header ${name} cannot be written`)
    bytes += name.length + value.length + ENTRY_BYTES
  }
  if (bytes > FRAME_BYTES_MAX) throw new Error('headers too large')
}

type Entry = { readonly key: string; readonly bytes: number }

/** The headers that differ from message to message. */
const OWN: ReadonlySet<string> = new Set([':path', 'topic', 'apns-id', 'apns-collapse-id', 'content-length'])
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/

/** RFC 7541 §2.3.1: new entries are numbered from 62, the newest first. */
const STATIC_ENTRIES = 61
const TABLE_BYTES = 4096
/** RFC 7541 §4.1: the size of an entry beyond its text. */
const ENTRY_BYTES = 32

/** RFC 7541 §6. */
const KNOWN: Form = { mark: 0x80, bits: 7 }
const KEPT: Form = { mark: 0x40, bits: 6 }
const TABLE_SIZE: Form = { mark: 0x20, bits: 5 }
const NEVER_KEPT: Form = { mark: 0x10, bits: 4 }
const NOT_KEPT: Form = { mark: 0x00, bits: 4 }
/** RFC 7541, appendix A: the names that every message has. */
const NAME_NUMBERS: Readonly<Record<string, number>> = {
  ':authority': 1,
  ':method': 2,
  ':path': 4,
  ':scheme': 6,
}
