/** How an item of a header block begins (RFC 7541 §6), and how many bits of its first byte are left for a number. */
export type Form = { readonly mark: number; readonly bits: number }

/** Writes the pieces of a header block (RFC 7541 §5) into a buffer that has room for them. */
export class HeaderWriter {
  #buffer: Buffer = Buffer.alloc(0)
  #at = 0

  /** Begins a header block at this place of the buffer. */
  begin(buffer: Buffer, at: number): void {
    this.#buffer = buffer
    this.#at = at
  }

  get at(): number {
    return this.#at
  }

  number({ mark, bits }: Form, value: number): void {
    const max = (1 << bits) - 1
    if (value < max) return this.#byte(mark | value)
    this.#byte(mark | max)
    let rest = value - max
    for (; rest >= 0x80; rest >>>= 7) this.#byte((rest & 0x7f) | 0x80)
    this.#byte(rest)
  }

  /** The text is not compressed by Huffman's code: a long text is sent once, and later as a number. */
  text(text: string): void {
    this.number(PLAIN_TEXT, text.length)
    this.#at += this.#buffer.write(text, this.#at, 'latin1')
  }

  bytes(bytes: Uint8Array): void {
    this.#buffer.set(bytes, this.#at)
    this.#at += bytes.length
  }

  /** A copy of the bytes that were written from a place on. */
  bytesFrom(at: number): Buffer {
    return Buffer.from(this.#buffer.subarray(at, this.#at))
  }

  #byte(value: number): void {
    this.#buffer[this.#at] = value
    this.#at += 1
  }
}

const PLAIN_TEXT: Form = { mark: 0, bits: 7 }
