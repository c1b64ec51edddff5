import { Wake } from '../runtime/loop/wake.ts'

/**
 * Counts the messages of a channel that are sent and not settled, over all its chunks in one lane: those that the kill of
 * a worker repeats.
 */
export class Unsettled {
  /** Nudged when there may be room again. */
  readonly room = new Wake()
  readonly #max: number
  #count = 0

  constructor(max: number) {
    this.#max = max
  }

  get isFull(): boolean {
    return this.#count >= this.#max
  }

  add(messages: number): void {
    this.#count += messages
  }
}
