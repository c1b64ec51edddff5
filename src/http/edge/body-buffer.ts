/** Collects the pieces of a body. Once the size is known, pieces go straight into one buffer of that size. */
export class BodyBuffer {
  #pieces: Buffer[] = []
  #target: Buffer | null = null
  #size = 0

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

  /** Bytes beyond the expected size are counted and not kept. */
  add(piece: Buffer): void {
    if (this.#target === null) this.#pieces.push(piece)
    else piece.copy(this.#target, this.#size)
    this.#size += piece.length
  }

  /** Returns all bytes, once: this object may live as long as the request, so it drops its own reference. */
  takeAll(): Buffer {
    const all = this.#target?.subarray(0, this.#size) ?? Buffer.concat(this.#pieces, this.#size)
    this.#target = null
    this.#pieces = []
    return all
  }
}
