import { Fifo } from '../fifo.ts'
import type { HeaderList, ProviderRequest, SharedHeaders } from '../transport.ts'
import { FRAME_BYTES_MAX } from './frame.ts'
import { type Form, HeaderWriter } from './header-writer.ts'

/** The parts of a request that its header block is made of. */
export type RequestHead = Pick<ProviderRequest, 'path' | 'headers' | 'ownHeaders'>

/**
 * Writes header blocks (HPACK, RFC 7541). A header that all messages of a broadcast share, above all the token, goes into
 * the table that both sides keep, and takes one or two bytes from then on. A header of one message, above all the path
 * with a device's address, is marked so that no proxy on the way keeps it.
 *
 * The bytes of shared headers are kept and written again as they are, until the table changes: then their numbers may
 * stand for other entries. The path comes before them, because a pseudo-header may not follow another header; the bytes of
 * the last path are kept too, for a provider with one path for all messages.
 */
export class HeaderEncoder {
  readonly #pseudoHeaders: HeaderList
  readonly #blocks = new WeakMap<SharedHeaders, SharedBlock>()
  readonly #numbers = new Map<string, number>()
  readonly #entries = new Fifo<Entry>()
  #bytes = 0
  #bytesMax = TABLE_BYTES
  #added = 0
  #isShrunk = false
  readonly #writer = new HeaderWriter()
  /** The path that was written last. It was checked before. */
  #path = ''
  /** The bytes of this path; none until the path is written a second time. */
  #pathBytes = NO_BYTES
  /** How often the table has changed. */
  #changes = 0

  constructor(authority: string) {
    this.#pseudoHeaders = [
      [':method', 'POST'],
      [':scheme', 'https'],
      [':authority', authority],
    ]
  }

  /** The peer keeps a smaller table, and our next block must confirm that. We never ask for a larger table. */
  shrink(bytesMax: number): void {
    if (bytesMax >= this.#bytesMax) return
    this.#bytesMax = bytesMax
    this.#isShrunk = true
    this.#changes += 1
    this.#dropDownTo(bytesMax)
  }

  /** Throws for headers that HTTP/2 cannot carry. It must run before the table changes, or the two tables would differ. */
  check({ path, headers, ownHeaders = NONE }: RequestHead): void {
    // Shared headers whose bytes are kept have been checked.
    const shared = this.#blocks.get(headers)?.listBytes ?? checkedBytes(this.#sharedList(headers))
    const own = ownHeaders.length === 0 ? 0 : checkedBytes(ownHeaders)
    const bytes = shared + this.#checkedPathBytes(path) + own
    if (bytes > FRAME_BYTES_MAX) throw new Error('headers too large')
  }

  /** Writes the block to the buffer and returns where it ends. `check` must have accepted the headers. */
  write(buffer: Buffer, start: number, { path, headers, ownHeaders = NONE }: RequestHead): number {
    const writer = this.#writer
    writer.begin(buffer, start)
    if (this.#isShrunk) writer.number(TABLE_SIZE, this.#bytesMax)
    this.#isShrunk = false
    this.#writePath(writer, path)
    this.#writeShared(writer, headers)
    for (const header of ownHeaders) this.#writeOne(writer, header)
    return writer.at
  }

  #checkedPathBytes(path: string): number {
    if (path !== this.#path) checkValue(':path', path)
    return ':path'.length + path.length + ENTRY_BYTES
  }

  #writePath(writer: HeaderWriter, path: string): void {
    const isRepeated = path === this.#path
    if (isRepeated && this.#pathBytes.length > 0) return writer.bytes(this.#pathBytes)
    const { at } = writer
    writer.number(NEVER_KEPT, PATH_NUMBER)
    writer.text(path)
    this.#path = path
    // A copy of every path would be wasted where paths differ.
    this.#pathBytes = isRepeated ? writer.bytesFrom(at) : NO_BYTES
  }

  #writeShared(writer: HeaderWriter, headers: SharedHeaders): void {
    const kept = this.#blocks.get(headers)
    if (kept?.changes === this.#changes) return writer.bytes(kept.bytes)
    const { at } = writer
    const changes = this.#changes
    const list = this.#sharedList(headers)
    for (const header of list) this.#writeOne(writer, header)
    // A block that adds entries to the table is not the block of the next message.
    if (changes === this.#changes) {
      this.#blocks.set(headers, { changes, bytes: writer.bytesFrom(at), listBytes: checkedBytes(list) })
    }
  }

  #sharedList(headers: SharedHeaders): HeaderList {
    return [...this.#pseudoHeaders, ...Object.entries(headers)]
  }

  #writeOne(writer: HeaderWriter, header: HeaderList[number]): void {
    const [name, value] = header
    if (OWN.has(name)) return writeLiteral(writer, NEVER_KEPT, header)
    const key = `${name}\n${value}`
    const number = this.#numbers.get(key)
    if (number !== undefined) return writer.number(KNOWN, STATIC_ENTRIES + this.#added - number)
    return writeLiteral(writer, this.#keep(key) ? KEPT : NOT_KEPT, header)
  }

  #keep(key: string): boolean {
    const bytes = key.length - 1 + ENTRY_BYTES
    if (bytes > this.#bytesMax) return false
    this.#changes += 1
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

/** The size of a list of headers (RFC 9113 §6.5.2). Throws for a header that cannot be written. */
function checkedBytes(headers: HeaderList): number {
  let bytes = 0
  for (const [name, value] of headers) {
    checkValue(name, value)
    bytes += name.length + value.length + ENTRY_BYTES
  }
  return bytes
}

function checkValue(name: string, value: string): void {
  if (UNSENDABLE.test(value)) throw new Error(`header ${name} cannot be written`)
}

function writeLiteral(writer: HeaderWriter, form: Form, [name, value]: HeaderList[number]): void {
  const nameNumber = NAME_NUMBERS[name]
  writer.number(form, nameNumber ?? 0)
  if (nameNumber === undefined) writer.text(name)
  writer.text(value)
}

/** The bytes of shared headers. They hold while the table has changed as often as when they were made. */
type SharedBlock = { readonly changes: number; readonly bytes: Uint8Array; readonly listBytes: number }

type Entry = { readonly key: string; readonly bytes: number }

const NONE: HeaderList = []
const NO_BYTES: Uint8Array = new Uint8Array()
/** The headers that differ from message to message. */
const OWN: ReadonlySet<string> = new Set(['topic', 'apns-id', 'apns-collapse-id', 'content-length'])
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
  ':scheme': 6,
}
const PATH_NUMBER = 4
