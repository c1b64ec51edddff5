import type { DuckDbOptions } from '../../../src/runtime/duckdb/duckdb-child.ts'
import { DuckDbProcess } from '../../../src/runtime/duckdb/duckdb-process.ts'
import type { DuckDbPlan } from '../../../src/runtime/duckdb/messages.ts'

/** A DuckDB that says that it has less memory for statements than it has. */
export class CrampedDuckDb extends DuckDbProcess {
  readonly #saidMib: number

  constructor(options: DuckDbOptions, saidMib: number) {
    super(options)
    this.#saidMib = saidMib
  }

  override get plan(): DuckDbPlan {
    return { ...super.plan, memoryMib: this.#saidMib }
  }
}
