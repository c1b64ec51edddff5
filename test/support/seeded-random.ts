/** Random numbers that can be repeated by their seed. A test prints the seed of its run. */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** In [0, 1). */
  next(): number {
    // A linear congruence with the constants of Numerical Recipes: good enough to choose targets.
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return this.#state / 2 ** 32
  }

  pick<Value>(values: readonly Value[]): Value | undefined {
    return values[Math.floor(this.next() * values.length)]
  }

  shuffle<Value>(values: readonly Value[]): readonly Value[] {
    return values
      .map((value) => ({ value, place: this.next() }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ value }) => value)
  }
}
