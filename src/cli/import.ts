import { createReadStream } from 'node:fs'
import { loadConfig } from '../config.ts'
import { RejectionError } from '../domain/result.ts'
import { EMPTY_REPORT, type ImportReport } from '../intake/lists/import.ts'
import { PLATFORM_NAMES, type Platform } from '../rules/platforms.ts'
import { errorCode, StartError } from '../runtime/errors.ts'
import { defineCommand } from './command.ts'
import { PartlyDone, UsageError } from './exit.ts'
import { JSON_FLAG } from './pages.ts'
import { columns, countRows, say } from './terminal.ts'
import { withBrand } from './with-brand.ts'

export const importCommand = defineCommand({
  name: 'import',
  summary: 'Imports a list of devices, from a file of NDJSON or CSV.',
  about: [
    'A line of NDJSON is the body of POST /api/v1/subscriptions. The columns of CSV, separated by commas, semicolons or tabs, are platform, token, endpoint, p256dh, auth, user_id, subscription_id, android_id, ios_ifv, tags (separated by semicolons), time_zone, language, browser, app_version and environment.',
    'Bad rows are refused one by one and told at the end. Importing a file twice changes nothing, so after mending it, import it again.',
    'The exit code is 0 when every row was taken, and 3 when some were refused and the others are stored; 1 is for a list that could not be read to its end or of which every row was refused, 2 for a mistyped command.',
  ],
  operands: [
    { name: 'FILE', meaning: 'The file to read; its name ends in .csv or not. - is standard input.' },
  ],
  flags: {
    brand: { type: 'string', value: 'BRAND', meaning: 'The id of the brand they belong to.' },
    platform: { type: 'string', value: 'PLATFORM', meaning: 'The platform of rows that name none.' },
    csv: { type: 'boolean', meaning: 'Reads CSV, whatever the name of the file.' },
    json: JSON_FLAG,
  },
  examples: [
    'bin/beckon import tokens.csv --brand acme --platform android',
    'bin/beckon import - --brand acme < all.ndjson',
  ],
  run: async ({ brand: externalId, platform: named, csv = false, json = false }, [file = '']) => {
    if (externalId === undefined) throw new UsageError('--brand is missing', 'import')
    const platform = parsePlatform(named)
    const format = csv || file.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson'
    const list = {
      bytes: bytesOf(file),
      format,
      platform,
      pushHosts: new Set(loadConfig().pushHosts),
    } as const
    // Loaded only here, like the code of a role: the other commands do not need it.
    const { importDeviceList } = await import('../api.ts')
    const report = await withBrand(externalId, async (database, { id: brandId }) =>
      follow(file, importDeviceList({ database, brandId, ...list })),
    )
    if (json) say(JSON.stringify(reportView(report)))
    else sayReport(report)
    const { rows, refused } = report
    if (refused > 0 && refused === rows) throw new StartError(allRefused(report, format))
    if (refused > 0) throw new PartlyDone(`${countRows(refused)} refused; all others are stored.`)
  },
})

function parsePlatform(named: string | undefined): Platform | null {
  if (named === undefined) return null
  const platform = PLATFORM_NAMES.find((name) => name === named)
  if (platform !== undefined) return platform
  throw new UsageError(`There is no platform "${named}", only ${PLATFORM_NAMES.join(', ')}`, 'import')
}

/** The file is opened when reading begins, so that the reader learns why it cannot be opened. */
async function* bytesOf(file: string): AsyncGenerator<Uint8Array> {
  yield* file === '-' ? process.stdin : createReadStream(file)
}

/** Tells on standard error how far it is, until there is a last report. */
async function follow(file: string, reports: AsyncIterable<ImportReport>): Promise<ImportReport> {
  let last = EMPTY_REPORT
  try {
    for await (const report of reports) {
      last = report
      process.stderr.write(`  ${countRows(report.rows)} read, ${count(report.refused)} refused\n`)
    }
  } catch (cause) {
    // A file that is not there, or not what its name says, is the caller's mistake; what came before it is stored.
    const trouble = FILE_TROUBLES.get(errorCode(cause) ?? '')
    if (trouble !== undefined) throw new StartError(`${trouble} ${file}: nothing is stored.`, { cause })
    if (!(cause instanceof RejectionError)) throw cause
    throw new StartError(`${cause.message} ${countRows(last.rows)} stored before that.`, { cause })
  }
  return last
}

const FILE_TROUBLES = new Map([
  ['ENOENT', 'There is no file'],
  ['EISDIR', 'This is a folder and no file:'],
  ['EACCES', 'This user may not read'],
])

/** A mistake in every row is a mistake of the whole list. */
function allRefused({ rows, refusals }: ImportReport, format: 'csv' | 'ndjson'): string {
  const [first] = refusals
  const isForeign = format === 'ndjson' && first?.code === 'malformed_json'
  const advice = isForeign
    ? 'The list was read as NDJSON, one JSON object on each line; for CSV add --csv.'
    : `The first: ${first?.message ?? ''} bin/beckon import --help lists the columns.`
  return `Nothing is stored: ${countRows(rows)} refused of ${count(rows)}. ${advice}`
}

function reportView({ rows, imported, updated, refused, refusals, warnings }: ImportReport): object {
  return {
    rows,
    imported,
    updated,
    refused,
    refusals: refusals.map(({ line, field, code, message }) => ({ line, field, code, message })),
    warnings: warnings.map(({ field, code, message }) => ({ field, code, message })),
  }
}

function sayReport({ imported, updated, refused, refusals, warnings }: ImportReport): void {
  say(`Imported ${count(imported)}, updated ${count(updated)}, refused ${count(refused)}.`)
  if (warnings.length > 0) say('', ...columns(warnings.map(({ field, message }) => [field, message])))
  if (refused === 0) return
  const rows = refusals.map(({ line, code, message }) => [`line ${line}`, code, message])
  say('', ...columns(rows))
  if (refused > refusals.length) say(`and ${count(refused - refusals.length)} more.`)
}

function count(rows: number): string {
  return rows.toLocaleString('en')
}
