/** Collects an answer's body up to a bound, so that a hostile peer cannot fill our memory. */
export class AnswerBody {
  readonly #bytesMax: number
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Keeps the bytes that fit. False once the bound is reached, so that the caller stops reading. */
  take(chunk: Uint8Array): boolean {
    const kept = chunk.subarray(0, this.#bytesMax - this.#bytes)
    this.#bytes += kept.length
    // A copy, because a view of one byte would keep the whole buffer of the network in memory.
    if (kept.length > 0) this.#chunks.push(Buffer.from(kept))
    return this.#bytes < this.#bytesMax
  }

  text(): string {
    const [first = NOTHING] = this.#chunks
    return (this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first).toString('utf8')
  }
}

const NOTHING = Buffer.alloc(0)
