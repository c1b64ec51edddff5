import { CODE, Http2Violation } from './frame.ts'
import { readHuffman } from './huffman.ts'

/** The headers of an answer that a verdict needs. */
export type AnswerHead = { readonly status: number; readonly retryAfter: string | null }

/**
 * Reads an answer's header block (HPACK, RFC 7541). Our SETTINGS allow the peer no table (`headerTableSize` 0), so that a
 * block refers to no other block. Throws `Http2Violation`.
 */
export function readAnswerHead(block: Uint8Array): AnswerHead {
  const cursor = new Cursor(block)
  let status = 0
  let retryAfter: string | null = null
  while (!cursor.isAtEnd) {
    const field = cursor.field()
    if (field?.name === ':status') status = Number(field.value)
    if (field?.name === 'retry-after') retryAfter = field.value
  }
  return { status, retryAfter }
}

type Field = { readonly name: string; readonly value: string | null }

class Cursor {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** The next field; null for a field that we do not read, and for a change of the table's size. */
  field(): Field | null {
    const first = this.#bytes[this.#at] ?? 0
    if (first >= 0x80) return entryOf(this.#integer(7))
    if (first >= 0x40) return this.#literal(this.#integer(6))
    if (first >= 0x20) return this.#resize(this.#integer(5))
    return this.#literal(this.#integer(4))
  }

  /** Most fields are not needed, and are skipped without decoding. */
  #literal(number: number): Field | null {
    const name = number === 0 ? this.#text().read() : nameOf(number)
    const value = this.#text()
    return name === null || !WANTED.has(name) ? null : { name, value: value.read() }
  }

  #resize(bytes: number): null {
    if (bytes > 0) throw new Http2Violation(CODE.compression, 'a table larger than allowed')
    return null
  }

  #text(): { readonly read: () => string | null } {
    const isHuffman = (this.#bytes[this.#at] ?? 0) >= 0x80
    const size = this.#integer(7)
    const end = this.#at + size
    if (end > this.#bytes.length) throw truncated()
    const bytes = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return { read: () => (isHuffman ? readHuffman(bytes) : Buffer.from(bytes).toString('latin1')) }
  }

  /** RFC 7541 §5.1. */
  #integer(bits: number): number {
    const max = (1 << bits) - 1
    let value = this.#byte() & max
    if (value < max) return value
    for (let shift = 0; shift <= SHIFT_MAX; shift += 7) {
      const byte = this.#byte()
      value += (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new Http2Violation(CODE.compression, 'a number too large')
  }

  #byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw truncated()
    this.#at += 1
    return byte
  }
}

const WANTED: ReadonlySet<string> = new Set([':status', 'retry-after'])
/** Three more bytes are enough for every number in a block of our size. */
const SHIFT_MAX = 14
/** RFC 7541, appendix A. */
const STATIC_ENTRIES = 61
const STATUS_NUMBERS = ['200', '204', '206', '304', '400', '404', '500']
const FIRST_STATUS = 8
const RETRY_AFTER = 53

function entryOf(number: number): Field | null {
  nameOf(number)
  const value = STATUS_NUMBERS[number - FIRST_STATUS]
  return value === undefined ? null : { name: ':status', value }
}

function nameOf(number: number): string | null {
  if (number === 0 || number > STATIC_ENTRIES) throw new Http2Violation(CODE.compression, 'no such entry')
  if (STATUS_NUMBERS[number - FIRST_STATUS] !== undefined) return ':status'
  return number === RETRY_AFTER ? 'retry-after' : null
}

function truncated(): Http2Violation {
  return new Http2Violation(CODE.compression, 'a header block that breaks off')
}
