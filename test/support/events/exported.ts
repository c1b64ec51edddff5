import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { exportEventFiles } from '../../../src/intake/event-files/export.ts'
import { DuckDbProcess } from '../../../src/runtime/duckdb/duckdb-process.ts'

export type ExportedBrand = { readonly url: string; readonly brandId: number }

/** Exports the brand to a folder of its own, and gives the folder to the work. */
export async function withExport<Value>(
  { url, brandId }: ExportedBrand,
  work: (folder: string) => Promise<Value>,
  meanwhile: (duckdb: DuckDbProcess, folder: string) => Promise<void> = async () => undefined,
): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'beckon-export-'))
  const duckdb = new DuckDbProcess({ folder, memoryMib: 512, threads: 2, access: 'write', idleMs: 60_000 })
  try {
    const order = { databaseUrl: url, brandId, folder, duckdb, dropped: null, onWeek: () => undefined }
    await Promise.all([exportEventFiles(order), meanwhile(duckdb, folder)])
    return await work(folder)
  } finally {
    await duckdb.close()
    await rm(folder, { recursive: true })
  }
}

/** A row of a file or of PostgreSQL. */
export type Found = Readonly<Record<string, string | number | boolean | null>>

function plain(cell: unknown): string | number | boolean | null {
  assert.ok(cell === null || ['string', 'number', 'boolean'].includes(typeof cell))
  return typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'boolean' ? cell : null
}

/** Reads with a DuckDB of its own, as somebody would who has the files and no Beckon. */
export async function askFiles(sql: string): Promise<readonly Found[]> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson()
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, plain(cell)])))
}
