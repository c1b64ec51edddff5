import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findServer } from '../../src/runtime/postgres/find-server.ts'
import { findPostgres } from '../../src/runtime/postgres/start-postgres.ts'
import { databaseFolder } from '../../src/runtime/postgres/start-server.ts'
import { loadBrand, saveBrandSettings } from '../../src/store/brand/brands.ts'
import { Database } from '../../src/store/db.ts'
import { PATIENT } from '../support/database/database.ts'
import { findMiscounts, isDone } from '../support/events/counting.ts'
import { ERASED_EVENT, EventWriters } from '../support/events/writers.ts'
import { atLength } from '../support/length.ts'
import {
  childrenOf,
  endWith,
  freshFolder,
  type RunningBeckon,
  startBeckon,
} from '../support/processes/beckon.ts'
import { findQuietPort } from '../support/processes/quiet-port.ts'
import { findEventMiscounts } from '../support/series/recounts.ts'
import { until } from '../support/until.ts'

// Five, so that the short form kills the database, too.
const KILLS = atLength(40, { short: 5 })
/** Enough for the deaths; a slow machine must start them all within a minute, or the start fails. */
const API_PROCESSES = String(atLength(3))
const WORKER_PROCESSES = String(1 + atLength(2))
const ACKNOWLEDGED_PER_KILL = 20
/** Every so often it is the database. */
const DATABASE_EVERY = 5
const BRAND = { 'x-brand-id': 'acme', 'x-api-key': 'a-key-of-the-test-brand' } as const

test('kills during events, merges and erasures lose nothing, double nothing and miscount nothing', async (context) => {
  const folder = await freshFolder(context)
  const port = await findQuietPort()
  // Whoever dies often is started again later and later, so the deaths are spread over several.
  const beckon = await startBeckon(context, {
    PORT: String(port),
    BECKON_DATA_DIR: folder,
    BECKON_API_PROCESSES: API_PROCESSES,
    BECKON_WORKER_PROCESSES: WORKER_PROCESSES,
    BECKON_BRAND_ID: BRAND['x-brand-id'],
    BECKON_API_KEY: BRAND['x-api-key'],
  })
  const { database, brandId } = await openDatabase(folder)
  endWith(context, async () => database.close())
  const writers = new EventWriters({
    url: `http://127.0.0.1:${port}`,
    headers: BRAND,
    clients: 6,
    people: 100,
  })
  endWith(context, async () => writers.stop())

  const deaths = new Map<string, number>()
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const before = writers.total
    await until(() => writers.total >= before + ACKNOWLEDGED_PER_KILL, { what: `writes before kill ${kill}` })
    const victim = kill % DATABASE_EVERY === 0 ? await findDatabase(folder) : await findChild(beckon, deaths)
    process.kill(victim, 'SIGKILL')
  }
  // Chance decides what the writers do, so what the test is about is waited for.
  await until(async () => (await countMerges(database, brandId).catch(() => 0)) > 0, { what: 'a merge' })
  await until(() => writers.acknowledged.erased.length > 0, { what: 'an erasure' })
  await writers.stop()
  await until(async () => isDone(database, brandId).catch(() => false), { what: 'the pipeline to catch up' })

  const { once, atLeastOnce, erased } = writers.acknowledged
  const stored = await countMarks(database, brandId)
  assert.ok(writers.total >= KILLS * ACKNOWLEDGED_PER_KILL && erased.length > 0)
  assert.deepEqual(
    once.filter((mark) => stored.get(mark) !== 1),
    [],
    'acknowledged with an id or a key, and not there once',
  )
  assert.deepEqual(
    atLeastOnce.filter((mark) => !stored.has(mark)),
    [],
    'acknowledged and lost',
  )
  assert.deepEqual(
    erased.filter((mark) => stored.has(mark)),
    [],
    'erased and still there',
  )
  assert.deepEqual(await findMiscounts(database, brandId), [])
  const gone = { people: erased.length, eventName: ERASED_EVENT }
  assert.deepEqual(await findEventMiscounts(database, brandId, gone), [])
})

type Opened = { readonly database: Database; readonly brandId: number }

async function openDatabase(folder: string): Promise<Opened> {
  const url = await findPostgres(folder)
  assert.ok(url !== null)
  const database = new Database({ ...PATIENT, url, connectionsMax: 3, name: 'kill loop' })
  const brand = await loadBrand(database, BRAND['x-brand-id'])
  assert.ok(brand !== null)
  await saveBrandSettings(database, brand.id, { ...brand, profileMerging: true })
  return { database, brandId: brand.id }
}

/** It may be down from the last time; then it is waited for. */
async function findDatabase(folder: string): Promise<number> {
  let pid: number | undefined
  await until(
    async () => {
      pid = (await findServer(databaseFolder(folder)))?.pid
      return pid !== undefined
    },
    { what: 'a database to kill' },
  )
  return pid ?? 0
}

/**
 * Anybody of those who died least: each death makes the next start come later, and if chance found the same few again
 * and again, they would all be away for half a minute. All may be away for a moment.
 */
async function findChild(beckon: RunningBeckon, deaths: Map<string, number>): Promise<number> {
  let children: readonly { readonly pid: number; readonly place: string }[] = []
  await until(
    async () => {
      children = (await childrenOf(beckon.pid)).map(({ pid, command }) => ({ pid, place: placeOf(command) }))
      return children.length > 0
    },
    { what: 'somebody to kill' },
  )
  const fewest = Math.min(...children.map(({ place }) => deaths.get(place) ?? 0))
  const spared = children.filter(({ place }) => (deaths.get(place) ?? 0) === fewest)
  const { pid = 0, place = '' } = spared[Math.floor(Math.random() * spared.length)] ?? {}
  deaths.set(place, fewest + 1)
  return pid
}

function placeOf(command: string): string {
  return /--name[ =](\S+)/.exec(command)?.[1] ?? command
}

async function countMarks(database: Database, brandId: number): Promise<ReadonlyMap<string, number>> {
  const { rows } = await database.query<{ mark: string; count: number }>(
    `select attributes ->> 'mark' as mark, count(*)::integer as count from events where brand_id = $1 group by 1`,
    [brandId],
  )
  return new Map(rows.map(({ mark, count }) => [mark, count]))
}

async function countMerges(database: Database, brandId: number): Promise<number> {
  const { count } = await database.query('select from profile_merges where brand_id = $1', [brandId])
  return count
}
