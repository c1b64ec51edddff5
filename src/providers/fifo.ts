/**
 * First in, first out, at a constant cost: `Array.shift` moves every other item. The items are in a ring. The place of an
 * item that leaves is emptied: the ring is old, so it would keep the item in memory until the next full garbage collection.
 */
export class Fifo<Item> {
  #ring: (Item | undefined)[] = emptyRing(RING_MIN)
  #head = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  push(item: Item): void {
    if (this.#size === this.#ring.length) this.#grow()
    this.#ring[this.#placeOf(this.#size)] = item
    this.#size += 1
  }

  peek(): Item | undefined {
    return this.#ring[this.#head]
  }

  shift(): Item | undefined {
    if (this.#size === 0) return undefined
    const item = this.#ring[this.#head]
    this.#ring[this.#head] = undefined
    this.#head = this.#placeOf(1)
    this.#size -= 1
    return item
  }

  /** The place in the ring of the item with so many items before it. */
  #placeOf(before: number): number {
    return (this.#head + before) & (this.#ring.length - 1)
  }

  #grow(): void {
    const ring = emptyRing<Item>(this.#ring.length * 2)
    for (let before = 0; before < this.#size; before += 1) ring[before] = this.#ring[this.#placeOf(before)]
    this.#ring.fill(undefined)
    this.#ring = ring
    this.#head = 0
  }
}

/** The length is a power of two, so that a place is found without a division. */
const RING_MIN = 16

function emptyRing<Item>(length: number): (Item | undefined)[] {
  return Array.from<Item | undefined>({ length }).fill(undefined)
}
