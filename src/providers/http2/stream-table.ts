import type { Stream } from './stream.ts'

/**
 * The streams under way of one connection, by id. A `Map` would do, but for the garbage collector: the old tables of a `Map` that changes
 * all the time keep removed streams in memory until the next full collection, and a stream refers to its whole message.
 *
 * Ids go up by two, so a stream has a place in a ring. `#crowded` has the streams whose place is taken by an old stream that still
 * waits for its answer.
 */
export class StreamTable {
  #ring = emptyRing(RING_MIN)
  readonly #crowded = new Map<number, Stream>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get(id: number): Stream | undefined {
    const stream = this.#ring[this.#placeOf(id)]
    if (stream?.id === id) return stream
    return this.#crowded.size === 0 ? undefined : this.#crowded.get(id)
  }

  add(stream: Stream): void {
    if (this.#size * 2 >= this.#ring.length) this.#grow()
    this.#size += 1
    this.#set(stream)
  }

  delete(stream: Stream): void {
    const place = this.#placeOf(stream.id)
    if (this.#ring[place] === stream) this.#ring[place] = undefined
    else if (!this.#crowded.delete(stream.id)) return
    this.#size -= 1
  }

  /** The streams of this moment, in a list of its own: the table may change while a caller goes through the list. */
  all(): readonly Stream[] {
    return [...this.#ring, ...this.#crowded.values()].filter((stream) => stream !== undefined)
  }

  #set(stream: Stream): void {
    const place = this.#placeOf(stream.id)
    if (this.#ring[place] === undefined) this.#ring[place] = stream
    else this.#crowded.set(stream.id, stream)
  }

  #placeOf(id: number): number {
    return (id >>> 1) & (this.#ring.length - 1)
  }

  #grow(): void {
    const streams = this.all()
    const length = this.#ring.length * 2
    this.#ring.fill(undefined)
    this.#crowded.clear()
    this.#ring = emptyRing(length)
    for (const stream of streams) this.#set(stream)
  }
}

/** A power of two, so that a place is found without a division. */
const RING_MIN = 16

function emptyRing(length: number): (Stream | undefined)[] {
  return Array.from<Stream | undefined>({ length }).fill(undefined)
}
