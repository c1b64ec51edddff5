/** A bound on how many can be at something for long. Whoever takes a seat gives it back. */
export class Seats {
  readonly #seatsMax: number
  #taken = 0

  constructor(seatsMax: number) {
    this.#seatsMax = seatsMax
  }

  get isFull(): boolean {
    return this.#taken >= this.#seatsMax
  }

  take(): void {
    this.#taken += 1
  }

  giveBack(): void {
    this.#taken -= 1
  }
}
