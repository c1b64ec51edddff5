import { DuckDbProcess } from '../../../src/runtime/duckdb/duckdb-process.ts'

/** Notes the event files that statements read. */
export class NotingDuckDb extends DuckDbProcess {
  readonly paths = new Set<string>()

  override async run(
    ...[statement, options]: Parameters<DuckDbProcess['run']>
  ): ReturnType<DuckDbProcess['run']> {
    for (const [path] of statement.sql.matchAll(/week=[\d-]+\/events-[^']+\.parquet/g)) this.paths.add(path)
    return super.run(statement, options)
  }
}
