/** First in, first out, at a constant cost: `Array.shift` moves every other item. */
export class Fifo<Item> {
  #items: Item[] = []
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  peek(): Item | undefined {
    return this.#items[this.#head]
  }

  shift(): Item | undefined {
    if (this.size === 0) return undefined
    const item = this.#items[this.#head]
    this.#head += 1
    if (this.#head >= COMPACT_AT && this.#head * 2 >= this.#items.length) this.#compact()
    return item
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head)
    this.#head = 0
  }
}

const COMPACT_AT = 1024
