import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { FileCache } from '../../src/intake/event-files/file-cache.ts'
import { storePlace } from '../../src/intake/event-files/file-place.ts'
import { StoreOutage } from '../../src/intake/event-files/store-outage.ts'
import { errorCode } from '../../src/runtime/errors.ts'
import { S3Store } from '../../src/runtime/object-store/s3-store.ts'
import type { Database } from '../../src/store/db.ts'
import { anyEvents, needing } from '../../src/store/event-needs.ts'
import { freshDatabase } from '../support/database/database.ts'
import { openFiles, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { atLength } from '../support/length.ts'
import { placeOf } from '../support/object-store/place.ts'
import { startS3 } from '../support/object-store/s3-server.ts'
import { until } from '../support/until.ts'

type Kept = 'folder' | 'object store'

/** A database of its own, because a process forgets files that are not in its place. */
async function open(kept: Kept) {
  const { url, database, brand, drop } = await freshDatabase()
  const s3 = kept === 'folder' ? null : await startS3()
  const store = s3 === null ? null : new S3Store(placeOf(s3.server))
  const files = await openFiles()
  const { folder, log } = files
  const cache =
    store === null ? null : new FileCache({ folder, bytesMax: 1e9, store, outage: new StoreOutage(log) })
  const opened = { ...files, eventFiles: { ...files.eventFiles, cache } }
  const place = store === null ? undefined : storePlace(folder, store)
  const frozen = await openFrozen({ url, database }, opened, place)
  const cold = frozen.openCold()
  return {
    database,
    brand,
    frozen,
    cold,
    /** Freezes, and drops rows at once. */
    startDropping: (): ChildProcess =>
      spawn(process.execPath, [PROGRAM, url, folder, '0', s3?.server ?? ''], { stdio: 'ignore' }),
    /** The files that there are, and those on their way. */
    names: async (): Promise<readonly string[]> => [
      ...(await frozen.names().catch(noneIfGone)),
      ...(s3?.objects.keys() ?? []),
    ],
    close: async (): Promise<void> => {
      await cold.close()
      await frozen.close()
      store?.close()
      await s3?.stop()
      await drop()
    },
  }
}

/** A folder that is removed while it is read; the next look finds it gone. */
function noneIfGone(cause: unknown): readonly string[] {
  if (errorCode(cause) === 'ENOENT') return []
  throw cause
}

type Opened = Awaited<ReturnType<typeof open>>

const BRANDS = 3
const EVENTS = 1_500
const PROGRAM = join(import.meta.dirname, 'freezing-process.ts')

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

type Brand = { readonly brandId: number; readonly stored: readonly string[] }

async function makeBrand({ brand, frozen }: Opened, place: number): Promise<Brand> {
  const { brandId } = await brand()
  const events = Array.from({ length: EVENTS }, (_, at) =>
    rawEvent(place * EVENTS + at, { receivedAt: frozen.oldAt, attributes: `{"sku": "A-${at % 4}"}` }),
  )
  return { brandId, stored: (await frozen.store(brandId, events)).map(String) }
}

/** The ids of all events, whether they are rows or in files only, and how many are rows. */
async function found({ cold }: Opened, brandId: number): Promise<readonly string[]> {
  return cold.asEngine(async (tx) => {
    const { rows } = await tx.query<{ id: bigint }>(
      'select id from events where brand_id = $1',
      needing([brandId], anyEvents(brandId)),
    )
    return rows.map(({ id }) => String(id))
  })
}

async function filesAlone({ database }: Opened): Promise<number> {
  return (await database.query('select from event_files where is_alone')).count
}

/** The moments of the kills: a file of this kind is new, or the rows of one more range are dropped. */
const MOMENTS: readonly ((names: readonly string[], alone: number) => boolean)[] = [
  (names) => names.some((name) => name.endsWith('.csv.part')),
  (names) => names.some((name) => name.endsWith('.parquet.part')),
  (names) => names.some((name) => name.endsWith('.parquet')),
  (names) => names.some((name) => name.endsWith('.parquet') && name.includes('brand=')),
  (_, alone) => alone > 0,
]

for (const [kept, kills] of [
  ['folder', atLength(30)],
  ['object store', atLength(30)],
] as const) {
  test(`kills while rows are dropped, and while files without rows are written again, lose and double nothing: ${kept}`, async () => {
    const opened = await open(kept)
    try {
      await killAndCompare(opened, kills)
    } finally {
      await opened.close()
    }
  })
}

async function killAndCompare(opened: Opened, kills: number): Promise<void> {
  const { cold, database, frozen } = opened
  const brands: Brand[] = []
  for (let place = 0; place < BRANDS; place += 1) brands.push(await makeBrand(opened, place))
  for (let round = 0; round < kills; round += 1) {
    const before = new Set(await opened.names())
    const aloneBefore = await filesAlone(opened)
    const child = opened.startDropping()
    const isTime = MOMENTS[round % MOMENTS.length] ?? (() => true)
    await until(
      async () => {
        const names = (await opened.names()).filter((name) => !before.has(name))
        return isTime(names, (await filesAlone(opened)) - aloneBefore)
      },
      { what: `the moment of kill ${round}` },
    )
    await kill(child)
    for (const { brandId, stored } of brands)
      assert.deepEqual((await found(opened, brandId)).toSorted(), stored.toSorted(), `after kill ${round}`)
    // Each round has something to do: a brand whose rows are to be dropped, and changes of events without rows.
    brands.push(await makeBrand(opened, BRANDS + round))
    for (const { brandId } of brands.slice(0, BRANDS)) await moveSome(cold, { brandId, round })
  }
  await until(async () => areOthersGone(opened), { what: 'the end of the sessions of killed processes' })
  await frozen.round()
  await frozen.drop()
  for (const { brandId, stored } of brands)
    assert.deepEqual((await found(opened, brandId)).toSorted(), stored.toSorted())
  const { count } = await database.query('select from events')
  assert.ok(count < brands.length * EVENTS * 0.2, `${count} rows are left`)
}

/** Gives the events of a person to another, as a merge does. */
async function moveSome(
  cold: Database,
  { brandId, round }: { readonly brandId: number; readonly round: number },
): Promise<void> {
  await cold.asEngine(async (tx) =>
    tx.query(
      'update events set profile_id = $2 where brand_id = $1 and profile_id = $3',
      needing([brandId, 100 + round, (round % 7) + 1], {
        ...anyEvents(brandId),
        people: [BigInt((round % 7) + 1)],
        use: 'write',
      }),
    ),
  )
}

/** The server ends the sessions of killed processes a moment later, and with them their locks. */
async function areOthersGone({ database }: Opened): Promise<boolean> {
  const { count } = await database.query(`select from pg_locks where locktype = 'advisory' and database = (
    select oid from pg_database where datname = current_database())`)
  return count === 0
}
