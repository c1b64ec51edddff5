import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { FileCache } from '../../src/intake/event-files/file-cache.ts'
import { storePlace } from '../../src/intake/event-files/file-place.ts'
import { StoreOutage } from '../../src/intake/event-files/store-outage.ts'
import { EVENT_FILE_LIMITS } from '../../src/rules/event-files.ts'
import { S3Store } from '../../src/runtime/object-store/s3-store.ts'
import { deleteBrand } from '../../src/store/brand/deletion.ts'
import { purgeBrands } from '../../src/store/brand/purge.ts'
import { listFiles } from '../../src/store/event-files/manifest.ts'
import { anyEvents, needing } from '../../src/store/event-needs.ts'
import { freshDatabase } from '../support/database/database.ts'
import { type Frozen, openFiles, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { placeOf } from '../support/object-store/place.ts'
import { startS3 } from '../support/object-store/s3-server.ts'

type Opened = Awaited<ReturnType<typeof openKept>>

/** A database of its own, because a process forgets files that are not in its place. */
async function openKept(kept: 'folder' | 'object store') {
  const { url, database, brand, drop } = await freshDatabase()
  const files = await openFiles()
  const { folder, log } = files
  if (kept === 'folder') {
    const frozen = await openFrozen({ url, database }, files)
    return { database, brand, frozen, names: frozen.names, cache: null, close: async () => end(frozen, drop) }
  }
  const s3 = await startS3()
  const store = new S3Store(placeOf(s3.server))
  const cache = new FileCache({ folder, bytesMax: 1e9, store, outage: new StoreOutage(log) })
  const opened = { ...files, eventFiles: { ...files.eventFiles, cache } }
  const frozen = await openFrozen({ url, database }, opened, storePlace(folder, store))
  return {
    database,
    brand,
    frozen,
    /** The objects, and their copies. */
    names: async () => [...s3.objects.keys(), ...(await frozen.names())],
    cache,
    close: async () => {
      store.close()
      await s3.stop()
      await end(frozen, drop)
    },
  }
}

async function end(frozen: Frozen, drop: () => Promise<void>): Promise<void> {
  await frozen.close()
  await drop()
}

/** Makes rows of the events of a person again, and writes the file that has them once more: the one before stays for a while. */
async function rewrite({ frozen }: Opened, brandId: number): Promise<void> {
  const cold = frozen.openCold()
  const people = [1n]
  await cold.asEngine(async (tx) =>
    tx.query(
      'update events set profile_id = 99 where brand_id = $1 and profile_id = 1',
      needing([brandId], { ...anyEvents(brandId), people, use: 'write' }),
    ),
  )
  await cold.close()
  await frozen.drop(EVENT_FILE_LIMITS.changedForMs)
}

for (const kept of ['folder', 'object store'] as const) {
  test(`a deleted brand takes files with the only copy of its events along, and those before them: ${kept}`, async () => {
    const opened = await openKept(kept)
    after(opened.close)
    const { database, brand, frozen, names, cache } = opened
    const [gone, stays] = [await brand(), await brand()]
    for (const { brandId } of [gone, stays])
      await frozen.store(
        brandId,
        Array.from({ length: 20 }, (_, place) => rawEvent(place, { attributes: '{"sku": "A"}' })),
      )
    await frozen.round()
    await frozen.drop()
    for (const { brandId } of [gone, stays]) await rewrite(opened, brandId)
    assert.equal((await database.query('select from events')).count, 0)
    const of = async ({ brandId }: { readonly brandId: number }): Promise<readonly string[]> =>
      (await names()).filter((name) => name.includes(`brand=${brandId}/`))
    assert.ok((await of(gone)).length > 1)
    const before = await of(stays)

    await deleteBrand(database, gone.externalId)
    while ((await purgeBrands(database, { rowsMax: 1, quietMs: 0 })).removed > 0);
    await frozen.round()
    await cache?.sweep(new Set((await listFiles(database)).map(({ path }) => path)))
    assert.deepEqual(await of(gone), [])
    const [file = ''] = (await listFiles(database)).map(({ path }) => path)
    assert.ok((await of(stays)).some((name) => name.endsWith(file)))
    assert.ok(before.length > 1)
  })
}
