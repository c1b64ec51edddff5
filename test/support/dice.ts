/** Chance that can be had again: the same seed rolls the same. The seed of a run belongs in what the test says. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** In [0, 1). */
  roll(): number {
    // A linear congruence with the constants of Numerical Recipes: plenty for choosing victims.
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return this.#state / 2 ** 32
  }

  pick<Value>(values: readonly Value[]): Value | undefined {
    return values[Math.floor(this.roll() * values.length)]
  }

  shuffle<Value>(values: readonly Value[]): readonly Value[] {
    return values
      .map((value) => ({ value, place: this.roll() }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ value }) => value)
  }
}
