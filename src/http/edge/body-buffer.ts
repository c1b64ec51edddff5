/**
 * Collects the pieces of a body. Once it is known to be large, pieces go straight into one buffer: of the size of the
 * body where that is known, or else of one that grows in place. The memory of a copied piece is given back at once.
 */
export class BodyBuffer {
  readonly #bytesMax: number
  #pieces: Buffer[] = []
  #target: ArrayBuffer | null = null
  #size = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get size(): number {
    return this.#size
  }

  /** Allocates the buffer for all pieces, and moves the first pieces there; `bytes` is null when nobody knows the size. */
  expect(bytes: number | null): void {
    const length = Math.min(this.#bytesMax, Math.max(bytes ?? 0, this.#size))
    const target = new ArrayBuffer(length, { maxByteLength: bytes === null ? this.#bytesMax : length })
    let at = 0
    for (const piece of this.#pieces) at += copyTo(target, at, piece)
    for (const piece of this.#pieces) freePiece(piece)
    this.#pieces = []
    this.#target = target
  }

  /** Bytes beyond the maximum are counted and not kept. */
  add(piece: Buffer): void {
    const { length } = piece
    if (this.#target === null) this.#pieces.push(piece)
    else {
      makeRoom(this.#target, this.#size + length)
      copyTo(this.#target, this.#size, piece)
      freePiece(piece)
    }
    this.#size += length
  }

  /** Returns all bytes, once: this object may live as long as the request, so it drops its own reference. */
  takeAll(): Buffer {
    const all =
      this.#target === null
        ? Buffer.concat(this.#pieces, this.#size)
        : Buffer.from(this.#target, 0, Math.min(this.#size, this.#target.byteLength))
    this.#target = null
    this.#pieces = []
    return all
  }
}

/** Small enough to waste little, large enough to be rare. */
const STEP_BYTES = 1024 * 1024

function makeRoom(target: ArrayBuffer, bytes: number): void {
  const { byteLength, maxByteLength } = target
  if (bytes <= byteLength || byteLength === maxByteLength) return
  target.resize(Math.min(maxByteLength, Math.max(bytes, byteLength + STEP_BYTES)))
}

/** Copies as much of the piece as there is room for. */
function copyTo(target: ArrayBuffer, at: number, piece: Buffer): number {
  return at >= target.byteLength ? 0 : piece.copy(Buffer.from(target, at))
}

/**
 * Gives the memory of a copied piece back. A collection would come much later: the bytes are not on the heap, and those
 * of all pieces are as many as the body's. Of an inflating stream, only the last piece of each buffer gives it back; a
 * buffer that is not full yet is still being written to. A piece of the pool shares its memory with strangers.
 */
function freePiece({ buffer, byteOffset, byteLength }: Buffer): void {
  const isLast = byteOffset + byteLength === buffer.byteLength
  const isAlone = byteOffset === 0 || buffer.byteLength > Buffer.poolSize
  if (isLast && isAlone && buffer instanceof ArrayBuffer) buffer.transferToFixedLength(0)
}

/**
 * Gives the memory of a large buffer back at once, where a collection would come much later: the bytes are not on the
 * heap. A small one may share its memory with others and is left alone.
 */
export function freeBytes({ buffer, byteLength }: Buffer): void {
  if (byteLength >= Buffer.poolSize && buffer instanceof ArrayBuffer) buffer.transferToFixedLength(0)
}
