import { mkdir, readdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { loadConfig } from '../config.ts'
import { exportEventFiles } from '../intake/event-files/export.ts'
import { closeEventFiles } from '../intake/event-files/open-files.ts'
import { DuckDbProcess } from '../runtime/duckdb/duckdb-process.ts'
import { StartError } from '../runtime/errors.ts'
import { auditAction } from '../store/brand/audit.ts'
import { Database } from '../store/db.ts'
import { defineCommand } from './command.ts'
import { openDropped } from './dropped-events.ts'
import { UsageError } from './exit.ts'
import { checkDropped, checkSchema, withDatabaseUrl } from './open-database.ts'
import { say } from './terminal.ts'
import { liveBrand } from './with-brand.ts'

export const exportCommand = defineCommand({
  name: 'export',
  summary: 'Writes all events of a brand to Parquet files, as of one instant.',
  about: [
    'DuckDB, Spark and warehouses read the files as they are: one typed column for each attribute. docs/event-files.md describes them.',
    'Beckon can keep running. Every week is compared with the database by counts and sums. The files contain personal data: protect them like a backup.',
  ],
  operands: [
    {
      name: 'FOLDER',
      meaning: 'The folder to write to. It is made if it does not exist, and must be empty.',
    },
  ],
  flags: {
    brand: { type: 'string', value: 'BRAND', meaning: 'The id of the brand.' },
    parquet: { type: 'boolean', meaning: 'The form of the files, the only one so far.' },
  },
  examples: ['bin/beckon export /exports/acme --brand acme --parquet'],
  run: async ({ brand: externalId, parquet = false }, [given = '']) => {
    if (externalId === undefined) throw new UsageError('--brand is missing', 'export')
    if (!parquet) throw new UsageError('--parquet is missing', 'export')
    const config = loadConfig()
    const folder = await emptyFolder(resolve(given))
    const duckdb = new DuckDbProcess({
      folder,
      memoryMib: config.analyticsMemoryMib,
      threads: Math.min(4, availableParallelism()),
      access: 'write',
      idleMs: 600_000,
    })
    const dropped = openDropped(config)
    let events = 0
    try {
      await withDatabaseUrl(config, async (databaseUrl) => {
        await checkSchema(databaseUrl)
        await checkDropped(config, databaseUrl)
        const brandId = await beginExport(databaseUrl, externalId)
        await exportEventFiles({
          databaseUrl,
          brandId,
          folder,
          duckdb,
          dropped,
          onWeek: (week) => {
            events += week.events
            process.stderr.write(`  week of ${week.day}: ${week.events.toLocaleString('en')} events\n`)
          },
        })
      })
    } finally {
      await duckdb.close()
      await closeEventFiles(dropped)
    }
    say(`Exported ${events.toLocaleString('en')} events to ${folder}.`)
  },
})

async function emptyFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = await readdir(folder)
  if (found.length > 0) throw new StartError(`The folder ${folder} is not empty: choose another one.`)
  return folder
}

/** The id of the brand. The audit log of the brand gets its line before a row is read. */
async function beginExport(url: string, externalId: string): Promise<number> {
  const database = new Database({ url, connectionsMax: 1, name: 'beckon command', author: 'cli' })
  try {
    const { id: brandId } = await liveBrand(database, externalId)
    await database.asBrand(brandId, async (tx) =>
      auditAction(tx, { brandId, action: 'exported', type: 'events', id: 'parquet' }),
    )
    return brandId
  } finally {
    await database.close()
  }
}
