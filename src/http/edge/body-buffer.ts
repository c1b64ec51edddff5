/** Bytes that arrive in pieces. Once it is known how many are to come, they go where they will stay. */
export class BodyBuffer {
  #pieces: Buffer[] = []
  #target: Buffer | null = null
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Makes the place for all of them; what came so far is moved there. */
  expect(bytes: number): void {
    const target = Buffer.allocUnsafe(Math.max(bytes, this.#size))
    let at = 0
    for (const piece of this.#pieces) at += piece.copy(target, at)
    this.#pieces = []
    this.#target = target
  }

  /** More than was expected is counted, and not kept. */
  add(piece: Buffer): void {
    if (this.#target === null) this.#pieces.push(piece)
    else piece.copy(this.#target, this.#size)
    this.#size += piece.length
  }

  /** All of them, once: the pile lets go of them, because it may live as long as the request does. */
  takeAll(): Buffer {
    const all = this.#target?.subarray(0, this.#size) ?? Buffer.concat(this.#pieces, this.#size)
    this.#target = null
    this.#pieces = []
    return all
  }
}
