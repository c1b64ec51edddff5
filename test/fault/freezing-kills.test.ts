import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { EVENT_FILE_LIMITS } from '../../src/rules/event-files.ts'
import { textOf } from '../../src/store/event-files/duck-sql.ts'
import { freshDatabase } from '../support/database/database.ts'
import { openFrozen, rawEvent } from '../support/events/frozen.ts'
import { atLength } from '../support/length.ts'
import { until } from '../support/until.ts'
import { FULL_PARQUET, makeFullDuckDb } from './full-duckdb.ts'

const { url, database, brand, drop } = await freshDatabase()
const frozen = await openFrozen({ url, database })
after(async () => {
  await frozen.close()
  await drop()
})

const KILLS = atLength(30)
const BRANDS = 6
/** More than a piece of work has, also while no events come in: so each week has two parts or more. */
const EVENTS = 6_000
const PROGRAM = join(import.meta.dirname, 'freezing-process.ts')

/** The moments of the kills: there are new files, and a week is frozen in part, or a new file is of this kind. */
const MOMENTS: readonly ((added: readonly string[]) => boolean | Promise<boolean>)[] = [
  async (added) => added.length > 0 && (await countWeeksInPart()) > 0,
  (added) => added.some((name) => name.endsWith('.csv.part')),
  (added) => added.some((name) => name.endsWith('.parquet.part')),
  (added) => added.some((name) => name.endsWith('.parquet')),
  (added) => added.some((name) => name.endsWith('.parquet') && name.includes('brand=')),
]

/** The weeks with listed files that are not frozen as a whole. */
async function countWeeksInPart(): Promise<number> {
  const { count } = await database.query(
    `select from event_file_weeks as w where frozen_at is null and exists (select from event_files as f
       where f.brand_id = w.brand_id and f.first_id >= w.first_id and f.first_id < w.end_id)`,
  )
  return count
}

/** No days, no server, and parts as small as they can be. */
const PARTS = ['', '', '0']

function startFreezing({ limit = '', duckDbNode = '' }: FreezingLimits = {}): ChildProcess {
  const program = [process.execPath, PROGRAM, url, frozen.folder, ...PARTS, duckDbNode]
  return spawn('sh', ['-c', `${limit} exec "$0" "$@"`, ...program], { stdio: ['ignore', 'pipe', 'ignore'] })
}

/** Words of a shell before the process, and the program that runs its DuckDB. */
type FreezingLimits = { readonly limit?: string; readonly duckDbNode?: string }

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** The ids of all events in listed files. A file that two ranges list, or that is not whole, shows here. */
async function idsInFiles(): Promise<readonly string[]> {
  const { rows } = await database.query<{ path: string }>('select path from event_files')
  if (rows.length === 0) return []
  const paths = rows.map(({ path }) => `'${join(frozen.folder, path)}'`).join(', ')
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const reader = await connection.runAndReadAll(
    `select id::varchar from read_parquet([${paths}], union_by_name = true)`,
  )
  return reader.getRowsJson().map(([id]) => textOf(id))
}

test('kills during freezing lose nothing and double nothing', async () => {
  const stored: string[] = []
  for (let place = 0; place < BRANDS; place += 1) {
    const { brandId } = await brand()
    const events = Array.from({ length: EVENTS }, (_, at) =>
      rawEvent(place * EVENTS + at, { receivedAt: frozen.oldAt }),
    )
    stored.push(...(await frozen.store(brandId, events)).map(String))
  }
  let metInPart = 0
  for (let round = 0; round < KILLS; round += 1) {
    const before = new Set(await frozen.names())
    const child = startFreezing()
    const isTime = MOMENTS[round % MOMENTS.length] ?? (() => true)
    await until(async () => isTime((await frozen.names()).filter((name) => !before.has(name))), {
      what: `the moment of kill ${round}`,
    })
    await kill(child)
    metInPart += (await countWeeksInPart()) > 0 ? 1 : 0
    const found = await idsInFiles()
    assert.equal(new Set(found).size, found.length, 'no event is in two files')
    // Each round has something to do: changed and deleted events, and a week that is frozen anew.
    await database.query(`update events set profile_id = $1 where id % 11 = $2`, [1000 + round, round % 11])
    await database.query('delete from event_files where brand_id % 3 = $1', [round % 3])
    await database.query('update event_file_weeks set frozen_at = null where brand_id % 3 = $1', [round % 3])
  }
  assert.ok(metInPart > 0, 'a kill met a week that was frozen in part')
  await until(areOthersGone, { what: 'the end of the sessions of killed processes' })
  await frozen.round()
  const found = await idsInFiles()
  assert.deepEqual(found.toSorted(), stored.toSorted())
  const { rows } = await database.query<{ path: string }>('select path from event_files order by path')
  assert.deepEqual(
    await frozen.names(),
    rows.map(({ path }) => path),
    'nothing else is in the folder',
  )
})

/** The server ends the sessions of killed processes a moment later, and with them their locks. */
async function areOthersGone(): Promise<boolean> {
  const { count } = await database.query(`select from pg_locks where locktype = 'advisory' and database = (
    select oid from pg_database where datname = current_database())`)
  return count === 0
}

const duckdb = await makeFullDuckDb()
after(duckdb.remove)

// The kernel refuses each write beyond this size of a file, as a full disk would.
const FULL_DISKS = [
  { what: 'a disk that takes no more', limits: { limit: 'ulimit -f 16;' }, says: /EFBIG|csv/ },
  {
    what: 'a disk that takes no more of a Parquet',
    limits: { duckDbNode: duckdb.program },
    says: FULL_PARQUET,
  },
]

for (const [place, { what, limits, says }] of FULL_DISKS.entries()) {
  test(`${what} leaves rows in charge, and the next round is whole`, async () => {
    const { brandId } = await brand()
    const events = Array.from({ length: EVENTS }, (_, at) =>
      rawEvent((place + 1) * 900_000 + at, { receivedAt: frozen.oldAt }),
    )
    await frozen.store(brandId, events)
    const child = startFreezing(limits)
    const lines: string[] = []
    child.stdout?.on('data', (chunk: Buffer) => lines.push(String(chunk)))
    const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null
    await until(() => isOver() || lines.join('').includes('could not be frozen'), { what: 'a refused write' })
    assert.match(lines.join(''), says)
    const { count } = await database.query('select from event_files where brand_id = $1', [brandId])
    assert.equal(count, 0)
    if (!isOver()) await kill(child)
    await until(areOthersGone, { what: 'the end of the sessions of killed processes' })
    await frozen.round(EVENT_FILE_LIMITS.retryMsMax)
    const { rows } = await database.query<{ events: bigint }>(
      'select sum(events)::bigint as events from event_files where brand_id = $1',
      [brandId],
    )
    assert.equal(rows[0]?.events, BigInt(EVENTS))
  })
}
