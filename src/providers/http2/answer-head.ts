import { type ByteRange, CODE, Http2Violation } from './frame.ts'
import { readHuffman } from './huffman.ts'

/** The headers of an answer that a verdict needs. */
export type AnswerHead = { readonly status: number; readonly retryAfter: string | null }

/**
 * Reads an answer's header block (HPACK, RFC 7541). Our SETTINGS allow the peer no table (`headerTableSize` 0), so that a
 * block refers to no other block. Throws `Http2Violation`.
 */
export function readAnswerHead(block: ByteRange): AnswerHead {
  const cursor = new Cursor(block)
  let status = 0
  let retryAfter: string | null = null
  while (!cursor.isAtEnd) {
    const name = cursor.nextName()
    if (name === ':status') status = Number(cursor.value())
    if (name === 'retry-after') retryAfter = cursor.value()
  }
  return { status, retryAfter }
}

type WantedName = ':status' | 'retry-after'

/** Steps through a block. Most fields are not needed, and are passed over without decoding. */
class Cursor {
  readonly #bytes: Buffer
  readonly #end: number
  #at: number
  /** The value of the last field: an entry of the static table, or the text that ends at `#at`. */
  #entry: string | null = null
  #start = 0
  #isHuffman = false

  constructor({ bytes, start, end }: ByteRange) {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end
  }

  /** The name of the next field; null for a field that we do not read, and for a change of the table's size. */
  nextName(): WantedName | null {
    const first = this.#bytes[this.#at] ?? 0
    this.#entry = null
    if (first >= 0x80) return this.#indexed(this.#integer(7))
    if (first >= 0x40) return this.#literal(this.#integer(6))
    if (first >= 0x20) return this.#resize(this.#integer(5))
    return this.#literal(this.#integer(4))
  }

  /** The value of the field that was named last. */
  value(): string | null {
    if (this.#entry !== null) return this.#entry
    const bytes = this.#bytes
    if (!this.#isHuffman) return bytes.toString('latin1', this.#start, this.#at)
    return readHuffman(bytes.subarray(this.#start, this.#at))
  }

  #indexed(number: number): WantedName | null {
    const name = nameOf(number)
    this.#entry = STATUS_NUMBERS[number - FIRST_STATUS] ?? null
    return this.#entry === null ? null : name
  }

  #literal(number: number): WantedName | null {
    const name = number === 0 ? this.#literalName() : nameOf(number)
    this.#passText()
    return name
  }

  /** A name is compared as it is written, because Huffman's code of a text is always the same. */
  #literalName(): WantedName | null {
    this.#passText()
    const wanted = this.#isHuffman ? WANTED.huffman : WANTED.plain
    for (const [name, bytes] of wanted) if (this.#isText(bytes)) return name
    return null
  }

  #isText(wanted: Uint8Array): boolean {
    if (wanted.length !== this.#at - this.#start) return false
    for (let place = 0; place < wanted.length; place += 1) {
      if (wanted[place] !== this.#bytes[this.#start + place]) return false
    }
    return true
  }

  #resize(bytes: number): null {
    if (bytes > 0) throw new Http2Violation(CODE.compression, 'a table larger than allowed')
    return null
  }

  #passText(): void {
    this.#isHuffman = (this.#bytes[this.#at] ?? 0) >= 0x80
    const size = this.#integer(7)
    this.#start = this.#at
    this.#at += size
    if (this.#at > this.#end) throw truncated()
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
    if (byte === undefined || this.#at >= this.#end) throw truncated()
    this.#at += 1
    return byte
  }
}

/** The names that we read, as a peer writes them. */
const WANTED = {
  plain: [
    [':status', Buffer.from(':status')],
    ['retry-after', Buffer.from('retry-after')],
  ],
  huffman: [
    [':status', Buffer.from('b8848d36a3', 'hex')],
    ['retry-after', Buffer.from('b0a9b3d2c39525b3', 'hex')],
  ],
} as const
/** Three more bytes are enough for every number in a block of our size. */
const SHIFT_MAX = 14
/** RFC 7541, appendix A. */
const STATIC_ENTRIES = 61
const STATUS_NUMBERS = ['200', '204', '206', '304', '400', '404', '500']
const FIRST_STATUS = 8
const RETRY_AFTER = 53

function nameOf(number: number): WantedName | null {
  if (number === 0 || number > STATIC_ENTRIES) throw new Http2Violation(CODE.compression, 'no such entry')
  if (STATUS_NUMBERS[number - FIRST_STATUS] !== undefined) return ':status'
  return number === RETRY_AFTER ? 'retry-after' : null
}

function truncated(): Http2Violation {
  return new Http2Violation(CODE.compression, 'a header block that breaks off')
}
