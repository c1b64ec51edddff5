import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'

/** Keeps the first failure of a statement. A question would hide it, and ask rows. */
export class KeptDuckDb extends DuckDbProcess {
  failure: unknown = null

  override async run(
    ...[statement, options]: Parameters<DuckDbProcess['run']>
  ): ReturnType<DuckDbProcess['run']> {
    try {
      return await super.run(statement, options)
    } catch (error) {
      this.failure ??= error
      throw error
    }
  }
}
