import assert from 'node:assert/strict'
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { loadConfig } from '../../src/config.ts'
import { CacheFull, CacheTooSmall, FileCache } from '../../src/intake/event-files/file-cache.ts'
import { storePlace } from '../../src/intake/event-files/file-place.ts'
import { followCache, openEventFiles } from '../../src/intake/event-files/open-files.ts'
import { StoreOutage } from '../../src/intake/event-files/store-outage.ts'
import { findLost } from '../../src/intake/event-files/sweep.ts'
import { askPaths } from '../../src/intake/events/walks.ts'
import { freezeUnlessAway } from '../../src/pipeline/events/freezing.ts'
import { isStoreAway } from '../../src/runtime/object-store/object-store-error.ts'
import { S3Store } from '../../src/runtime/object-store/s3-store.ts'
import { deleteBrand } from '../../src/store/brand/deletion.ts'
import { purgeBrands } from '../../src/store/brand/purge.ts'
import { loadFrozenView } from '../../src/store/event-files/frozen-view.ts'
import { listFiles } from '../../src/store/event-files/manifest.ts'
import { freshDatabase } from '../support/database/database.ts'
import { DAY_MS, OLD_WEEK, openFiles, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { placeOf } from '../support/object-store/place.ts'
import { S3_BUCKET, S3_KEYS, S3_REGION, startS3 } from '../support/object-store/s3-server.ts'
import { runBeckon } from '../support/processes/beckon.ts'
import { until } from '../support/until.ts'

const { url, database, brand, drop } = await freshDatabase()
const s3 = await startS3()
const store = new S3Store(placeOf(s3.server))
const files = await openFiles()
const { folder, lines } = files
const place = storePlace(folder, store)
const frozen = await openFrozen({ url, database }, files, place)
const openCache = (bytesMax: number): FileCache =>
  new FileCache({ folder, bytesMax, store, outage: new StoreOutage(files.log) })
after(async () => {
  await frozen.close()
  store.close()
  await s3.stop()
  await drop()
})

beforeEach(() => {
  s3.state.mood = 'well'
  cache = openCache(100_000_000)
  lines.length = 0
  s3.calls.length = 0
})

const { signal } = new AbortController()
const watch = { signal, tell: null }
const RANGE = { fromAt: OLD_WEEK.startsAt - DAY_MS, toAt: Date.now() + DAY_MS }

/** A process has one cache; each test is as if it had begun anew. */
let cache = openCache(100_000_000)

async function ask(brandId: number, withFiles: boolean) {
  const eventFiles = { ...files.eventFiles, cache }
  const query = { brandId, startEvent: 'buy', depth: 2, withinMs: DAY_MS, ...RANGE, pathsMax: 5 }
  return askPaths({ database, eventFiles: withFiles ? eventFiles : null }, query, watch)
}

async function forgetCopies(): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
}

/** The files of a brand, as questions want them. */
async function wanted(brandId: number) {
  return (await loadFrozenView(database, { brandId, ...RANGE })).files
}

const SETTINGS = {
  DATABASE_URL: url,
  BECKON_SECRET: 's'.repeat(32),
  BECKON_EVENT_FILES_URL: `s3://${S3_BUCKET}/some/prefix`,
  BECKON_EVENT_FILES_ENDPOINT: s3.server,
  BECKON_EVENT_FILES_REGION: S3_REGION,
  BECKON_EVENT_FILES_KEY_ID: S3_KEYS.id,
  BECKON_EVENT_FILES_SECRET_KEY: S3_KEYS.secret,
}

/** The words of `bin/beckon doctor`, which say nothing of the key. */
async function doctor(): Promise<string> {
  const { stdout } = await runBeckon(['doctor'], SETTINGS)
  assert.ok(!stdout.includes(S3_KEYS.secret))
  return stdout
}

async function storeEvents(count = 20): Promise<number> {
  const { brandId } = await brand()
  await frozen.store(
    brandId,
    Array.from({ length: count }, (_, at) => rawEvent(at)),
  )
  return brandId
}

function fetches(): number {
  return s3.calls.filter((call) => call.startsWith('GET') && call.includes('.parquet')).length
}

test('weeks are frozen into the store, and questions read copies of the objects', async () => {
  const brandId = await storeEvents()
  await frozen.round()
  const [file] = await wanted(brandId)
  assert.ok(file !== undefined)
  assert.equal(s3.objects.get(`some/prefix/${file.path}`)?.length, file.bytes)
  assert.deepEqual(await frozen.names(), [], 'no file stays on the machine that froze')
  const rows = await ask(brandId, false)
  assert.deepEqual(await ask(brandId, true), rows)
  assert.ok(files.eventFiles.duckdb.pid !== null, 'DuckDB was asked')
  assert.deepEqual(await frozen.names(), [file.path])
  assert.equal(fetches(), 1)
  assert.deepEqual(await ask(brandId, true), rows)
  assert.equal(fetches(), 1, 'a copy is fetched once')
  assert.deepEqual(lines, [])
})

test('an object that is cut or damaged is not read, and rows answer', async () => {
  const brandId = await storeEvents()
  await frozen.round()
  const rows = await ask(brandId, false)
  for (const mood of ['truncate', 'cut'] as const) {
    await forgetCopies()
    s3.state.mood = mood
    cache = openCache(100_000_000)
    assert.deepEqual(await ask(brandId, true), rows)
    assert.deepEqual(await frozen.names(), [], mood)
  }
  s3.state.mood = 'well'
  cache = openCache(100_000_000)
  const [file] = await wanted(brandId)
  s3.objects.set(`some/prefix/${file?.path}`, Buffer.alloc(file?.bytes ?? 0))
  assert.deepEqual(await ask(brandId, true), rows)
  assert.deepEqual(await frozen.names(), [])
  assert.match(lines.join(''), /another content/)
})

test('rows answer while the store is away; the log says so once, and once that it is back', async (context) => {
  const brandId = await storeEvents()
  await frozen.round()
  await forgetCopies()
  const rows = await ask(brandId, false)
  s3.state.mood = 'busy'
  for (let count = 0; count < 3; count += 1) assert.deepEqual(await ask(brandId, true), rows)
  assert.equal(lines.length, 1)
  assert.match(lines.join(''), /is away/)
  assert.equal(fetches(), 1, 'not every question waits for a store that is away')
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 })
  assert.deepEqual(await ask(brandId, true), rows)
  assert.deepEqual([lines.length, fetches()], [1, 2])
  context.mock.timers.setTime(Date.now() + 60_000)
  s3.state.mood = 'well'
  assert.deepEqual(await ask(brandId, true), rows)
  assert.equal(lines.length, 2)
  assert.match(lines.join(''), /is back/)
})

test('freezing waits while the store is away, and loses and doubles nothing', async () => {
  const brandId = await storeEvents()
  for (const mood of ['busy', 'forbid'] as const) {
    s3.state.mood = mood
    await assert.rejects(frozen.once(), (error) => isStoreAway(error) === (mood === 'busy'))
  }
  s3.state.mood = 'full'
  // Transactions of other tests may keep the first rounds from freezing the week.
  await until(async () => frozen.once().then(() => false, isStoreAway), { what: 'a refused object' })
  assert.deepEqual(await wanted(brandId), [])
  const { rows } = await database.query<{ failures: number }>(
    'select failures from event_file_weeks where brand_id = $1',
    [brandId],
  )
  assert.deepEqual(rows, [{ failures: 0 }], 'it is no failure of the week')
  const outage = new StoreOutage(files.log)
  const clock = { now: () => Date.now() }
  const deps = {
    databaseUrl: url,
    database,
    clock,
    log: files.log,
    config: { analyticsMemoryMib: 512, eventRowsDays: null },
    place,
  }
  s3.state.mood = 'busy'
  lines.length = 0
  for (let count = 0; count < 2; count += 1) {
    assert.equal((await freezeUnlessAway(deps, signal, outage)).isFinished, true)
  }
  assert.equal(lines.length, 1)
  assert.match(lines.join(''), /is away/)
  s3.state.mood = 'well'
  await freezeUnlessAway(deps, signal, outage)
  assert.match(lines.join(''), /is back/)
  await frozen.round()
  assert.equal((await wanted(brandId)).length, 1)
  const keys = [...s3.objects.keys()].filter((key) => key.includes(`brand=${brandId}/`))
  assert.equal(keys.length, 1)
})

test('a lost object makes its week unfrozen; an object on no list is removed, and others stay', async () => {
  const brandId = await storeEvents()
  await frozen.round()
  const [file] = await wanted(brandId)
  s3.objects.delete(`some/prefix/${file?.path}`)
  s3.objects.set(`some/prefix/${file?.path.replace('0001', '0002')}`, Buffer.from('rest'))
  s3.objects.set('some/prefix/mine.txt', Buffer.from('not of Beckon'))
  assert.deepEqual(findLost(await listFiles(database), await place.list()), [file?.path])
  assert.match(await doctor(), new RegExp(`^warn +event files +1 of .* such as ${file?.path}`, 'm'))
  await frozen.round()
  const [again] = await wanted(brandId)
  assert.notEqual(again?.path, file?.path)
  const keys = [...s3.objects.keys()].filter((key) => key.includes(`brand=${brandId}/`))
  assert.deepEqual(keys, [`some/prefix/${again?.path}`])
  assert.ok(s3.objects.has('some/prefix/mine.txt'))
  assert.match(await doctor(), /^good +event files +\d+ files/m)
  s3.state.mood = 'busy'
  assert.match(await doctor(), /^warn +event files +the object store answered 503 SlowDown/m)
})

test('a deleted brand takes its objects and their copies along', async () => {
  const { brandId, externalId } = await brand()
  await frozen.store(brandId, [rawEvent(1)])
  await frozen.round()
  await ask(brandId, true)
  const isOurs = (name: string): boolean => name.includes(`brand=${brandId}/`)
  assert.ok((await frozen.names()).some(isOurs))
  await deleteBrand(database, externalId)
  while ((await purgeBrands(database, { rowsMax: 1, quietMs: 0 })).removed > 0);
  await frozen.round()
  assert.ok(![...s3.objects.keys()].some(isOurs))
  await cache.sweep(new Set((await listFiles(database)).map(({ path }) => path)))
  assert.ok(!(await frozen.names()).some(isOurs))
})

test('an API process with the settings of a store asks it, and removes copies that are listed no more', async () => {
  const brandId = await storeEvents()
  await frozen.round()
  const dataDir = join(folder, 'data')
  const config = loadConfig({ ...SETTINGS, BECKON_DATA_DIR: dataDir })
  const opened = openEventFiles({ config, log: files.log })
  assert.ok(opened !== null && opened.cache !== null)
  const query = { brandId, startEvent: 'buy', depth: 2, withinMs: DAY_MS, ...RANGE, pathsMax: 5 }
  const rows = await askPaths({ database, eventFiles: null }, query, watch)
  assert.deepEqual(await askPaths({ database, eventFiles: opened }, query, watch), rows)
  assert.notEqual(opened.duckdb.pid, null)
  const [file] = await wanted(brandId)
  const copy = join(dataDir, 'event-files', file?.path ?? '')
  assert.equal((await readFile(copy)).length, file?.bytes)
  await writeFile(`${copy}.old`, 'listed no more')
  const stop = new AbortController()
  const following = followCache(opened, database, stop.signal)
  await until(async () => (await readdir(dirname(copy))).length === 1, { what: 'the end of the old copy' })
  stop.abort()
  await following
  assert.deepEqual(await readdir(join(dataDir, 'questions')), [])
  assert.deepEqual(lines, [])
  await opened.duckdb.close()
  opened.cache.close()
})

test('the cache has a bound: copies that were not used for the longest time go first', async () => {
  const [one, other] = [await storeEvents(), await storeEvents(400)]
  await frozen.round()
  await forgetCopies()
  const [[first], [second]] = [await wanted(one), await wanted(other)]
  assert.ok(first !== undefined && second !== undefined)
  const small = openCache(second.bytes + first.bytes - 1)
  await small.hold([first], signal)
  await assert.rejects(small.hold([second], signal), CacheFull, 'the other copy was used a moment ago')
  const hourAgo = Date.now() / 1_000 - 3_600
  await utimes(join(folder, first.path), hourAgo, hourAgo)
  await small.hold([second], signal)
  assert.deepEqual(await frozen.names(), [second.path])
  await assert.rejects(small.hold([first, second], signal), CacheTooSmall)
})
