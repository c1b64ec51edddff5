/**
 * Collects the pieces of a body. Once it is known to be large, pieces go straight into one buffer: of the size of the
 * body where that is known, or else of one that doubles.
 */
export class BodyBuffer {
  readonly #bytesMax: number
  #pieces: Buffer[] = []
  #target: Buffer | null = null
  #size = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get size(): number {
    return this.#size
  }

  /** Allocates the buffer for all pieces, and moves the first pieces there. */
  expect(bytes: number): void {
    const target = Buffer.allocUnsafe(Math.max(bytes, this.#size))
    let at = 0
    for (const piece of this.#pieces) at += piece.copy(target, at)
    this.#pieces = []
    this.#target = target
  }

  /** Bytes beyond the maximum are counted and not kept. */
  add(piece: Buffer): void {
    if (this.#target === null) this.#pieces.push(piece)
    else piece.copy(this.#roomFor(this.#target, piece.length), this.#size)
    this.#size += piece.length
  }

  /** Returns all bytes, once: this object may live as long as the request, so it drops its own reference. */
  takeAll(): Buffer {
    const all = this.#target?.subarray(0, this.#size) ?? Buffer.concat(this.#pieces, this.#size)
    this.#target = null
    this.#pieces = []
    return all
  }

  #roomFor(target: Buffer, bytes: number): Buffer {
    const capacity = Math.min(this.#bytesMax, Math.max(this.#size + bytes, 2 * target.length))
    if (this.#size + bytes <= target.length || capacity <= target.length) return target
    const larger = Buffer.allocUnsafe(capacity)
    target.copy(larger, 0, 0, this.#size)
    freeBytes(target)
    this.#target = larger
    return larger
  }
}

/**
 * Gives the memory of a large buffer back at once, where a collection would come much later: the bytes are not on the
 * heap. A small one may share its memory with others and is left alone.
 */
export function freeBytes({ buffer, byteLength }: Buffer): void {
  if (byteLength >= Buffer.poolSize && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
