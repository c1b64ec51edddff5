/** The time of some work, and how much of it its statements waited in line, because DuckDB was busy with others. */
export class LineTime {
  readonly #begunAt = performance.now()
  #lineMs = 0

  add(ms: number): void {
    this.#lineMs += ms
  }

  /** Whether the line took most of the time so far. Then the same work may be in time when the others are gone. */
  get isMost(): boolean {
    return this.#lineMs > (performance.now() - this.#begunAt) / 2
  }
}
