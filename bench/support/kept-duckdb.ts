import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import type { DuckDbStatement } from '../../src/runtime/duckdb/messages.ts'

/** Keeps the last statement, so that DuckDB can be asked the same alone, and the first failure, which a question would hide. */
export class KeptDuckDb extends DuckDbProcess {
  last: DuckDbStatement = { sql: 'select 1' }
  failure: unknown = null

  override async run(
    ...[statement, options]: Parameters<DuckDbProcess['run']>
  ): ReturnType<DuckDbProcess['run']> {
    this.last = statement
    try {
      return await super.run(statement, options)
    } catch (error) {
      this.failure ??= error
      throw error
    }
  }
}
