import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { fileColumnName } from '../../src/domain/events/file-columns.ts'
import { statementMib } from '../../src/runtime/duckdb/memory.ts'
import { withOwner } from '../../src/store/db.ts'
import { duckName, duckText } from '../../src/store/event-files/duck-sql.ts'
import { ZONE } from './analytic-questions-measures.ts'
import type { AnswerRow } from './same-answer.ts'

type PlainOptions = {
  /** The folder of the event files. */
  readonly folder: string
  /** Takes the file of people, and what does not fit into memory. */
  readonly scratch: string
  /** The same as of the process that answers Beckon's questions. */
  readonly memoryMib: number
  readonly threads: number
}

/**
 * A DuckDB as anybody has it: in this process, with its own plans, and nothing between the statement and the files. It has as
 * much memory and as many threads as ours. `events` are the Parquet files as they lie, `people` a Parquet file that was made beforehand.
 */
export class PlainDuckDb {
  readonly #instance: DuckDBInstance
  readonly #connection: DuckDBConnection

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance
    this.#connection = connection
  }

  static async open({ folder, scratch, memoryMib, threads }: PlainOptions): Promise<PlainDuckDb> {
    const instance = await DuckDBInstance.create(':memory:', {
      memory_limit: `${statementMib({ memoryMib, access: 'read' })}MiB`,
      threads: String(threads),
      temp_directory: join(scratch, 'plain.spilled'),
      preserve_insertion_order: 'false',
    })
    const connection = await instance.connect()
    await connection.run(`set TimeZone = ${duckText(ZONE)}`)
    await connection.run(
      `create view events as select * exclude (${NAMED.map(([, column]) => column).join(', ')}),
         ${NAMED.map(([name, column]) => `${column} as ${name}`).join(', ')}
       from read_parquet(${duckText(join(folder, '**', 'events-*.parquet'))}, hive_partitioning = false)`,
    )
    return new PlainDuckDb(instance, connection)
  }

  /** Makes the file of people: their ids, and the attributes that questions ask for. */
  async savePeople(databaseUrl: string, { brandId, scratch }: PeopleOrder): Promise<void> {
    const [csv, file] = [join(scratch, 'plain-people.csv'), join(scratch, 'plain-people.parquet')]
    await withOwner(databaseUrl, async (owner) => {
      await owner.query('set role beckon_engine')
      const rows = owner.copyOut(
        `copy (select id, attributes ->> 'plan', attributes ->> 'city' from profiles where brand_id = ${brandId}) to stdout (format csv)`,
      )
      await pipeline(rows, createWriteStream(csv))
    })
    await this.#connection.run(
      `copy (select * from read_csv(${duckText(csv)}, header = false, columns = {id: 'BIGINT', plan: 'VARCHAR', city: 'VARCHAR'}))
       to ${duckText(file)} (format parquet)`,
    )
    await this.#connection.run(`create view people as select * from read_parquet(${duckText(file)})`)
  }

  async run(sql: string): Promise<readonly AnswerRow[]> {
    const reader = await this.#connection.runAndReadAll(sql)
    return reader.getRowsJson()
  }

  close(): void {
    this.#connection.closeSync()
    this.#instance.closeSync()
  }
}

type PeopleOrder = { readonly brandId: number; readonly scratch: string }

/** The columns of attributes, by the names that statements have for them. */
const NAMED = [
  ['sku', duckName(fileColumnName({ kind: 'string', attribute: 'sku' }))],
  ['total', duckName(fileColumnName({ kind: 'number', attribute: 'total' }))],
  ['gift', duckName(fileColumnName({ kind: 'boolean', attribute: 'gift' }))],
] as const
