import assert from 'node:assert/strict'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { WEEK_MS } from '../../src/domain/events/week.ts'
import { FileCache } from '../../src/intake/event-files/file-cache.ts'
import { storePlace } from '../../src/intake/event-files/file-place.ts'
import { StoreOutage } from '../../src/intake/event-files/store-outage.ts'
import { S3Store } from '../../src/runtime/object-store/s3-store.ts'
import { anyEvents, type EventNeed, needing } from '../../src/store/event-needs.ts'
import { moveAfterMerge } from '../../src/store/people/merge-moving.ts'
import { isAway, isUnavailable } from '../../src/store/unavailable.ts'
import { freshDatabase } from '../support/database/database.ts'
import { DAY_MS, OLD_WEEK, openFiles, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { placeOf } from '../support/object-store/place.ts'
import { startS3 } from '../support/object-store/s3-server.ts'

const { url, database, brand, drop } = await freshDatabase()
const s3 = await startS3()
const store = new S3Store(placeOf(s3.server))
const files = await openFiles()
const { folder, log } = files
const cache = new FileCache({ folder, bytesMax: 1e9, store, outage: new StoreOutage(log) })
const opened = { ...files, eventFiles: { ...files.eventFiles, cache } }
const frozen = await openFrozen({ url, database }, opened, storePlace(folder, store))
const cold = frozen.openCold()
after(async () => {
  await cold.close()
  await frozen.close()
  store.close()
  await s3.stop()
  await drop()
})

test('events without rows are read from objects; while the store is away, from copies, or not at all', async () => {
  const { brandId } = await brand()
  const events = Array.from({ length: 30 }, (_, place) => rawEvent(place, { attributes: '{"sku": "A"}' }))
  await frozen.store(brandId, events)
  await frozen.round()
  await frozen.drop()
  const read = async (): Promise<number> => {
    const values = needing([brandId], anyEvents(brandId))
    const { count } = await cold.asEngine(async (tx) =>
      tx.query('select from events where brand_id = $1', values),
    )
    return count
  }
  assert.equal((await database.query('select from events where brand_id = $1', [brandId])).count, 0)
  assert.equal(await read(), 30)
  s3.state.mood = 'busy'
  assert.equal(await read(), 30, 'a copy is here')
  await rm(join(folder, `brand=${brandId}`), { recursive: true })
  await assert.rejects(read(), (cause) => isUnavailable(cause) && !isAway(cause))
  s3.state.mood = 'well'
})

test('an object without rows is written again from itself and from the rows of changed events', async () => {
  const { brandId } = await brand()
  const events = Array.from({ length: 30 }, (_, place) => rawEvent(place, { attributes: '{"sku": "A"}' }))
  await frozen.store(brandId, events)
  await frozen.round()
  await frozen.drop()
  await cold.asEngine(async (tx) =>
    moveAfterMerge(tx, { brandId, mergeId: 1n, survivorId: 1n, absorbedId: 2n }, 1_000),
  )
  await rm(join(folder, `brand=${brandId}`), { recursive: true })
  await frozen.drop(8 * DAY_MS)
  const { rows } = await cold.asEngine(async (tx) =>
    tx.query<{ count: number; moved: number; stored: number }>(
      `select count(*)::integer as count, (count(*) filter (where source_profile_id = 2))::integer as moved,
         (select count(*)::integer from public.events where brand_id = $1) as stored
       from events where brand_id = $1`,
      needing([brandId], anyEvents(brandId)),
    ),
  )
  assert.deepEqual(rows, [{ count: 30, moved: 5, stored: 0 }])
})

test('files that do not fit into the cache together are read one after the other', async () => {
  const { brandId } = await brand()
  const events = Array.from({ length: 30 }, (_, place) => {
    const receivedAt = OLD_WEEK.startsAt + (place % 2) * WEEK_MS + place * 60_000
    return rawEvent(place, { receivedAt, attributes: '{"sku": "A"}' })
  })
  const ids = await frozen.store(brandId, events)
  await frozen.round()
  await frozen.drop()
  const { rows: listed } = await database.query<{ bytes: number }>(
    'select bytes::integer as bytes from event_files where brand_id = $1',
    [brandId],
  )
  assert.equal(listed.length, 2)
  const bytesMax = Math.max(...listed.map(({ bytes }) => bytes)) + 1
  for (const name of await readdir(folder))
    if (name.startsWith('brand=')) await rm(join(folder, name), { recursive: true })
  const small = new FileCache({ folder, bytesMax, store, outage: new StoreOutage(log) })
  const narrow = frozen.openCold({ cache: small })
  const read = async (change: Partial<EventNeed>): Promise<readonly bigint[]> => {
    const values = needing([brandId], { ...anyEvents(brandId), ...change })
    const sql = 'select id from events where brand_id = $1 order by event_at desc, id desc'
    return (await narrow.query<{ id: bigint }>(sql, values)).rows.map(({ id }) => id)
  }
  assert.equal((await read({})).length, 30)
  assert.ok((await frozen.names()).length < 2, 'one copy at a time')
  const newest = (await read({ pick: { kind: 'newest', limit: 3, before: null } })).slice(0, 3)
  const wanted = ids.filter((_, place) => place % 2 === 1).slice(-3)
  assert.deepEqual(newest, wanted.toReversed())
  const bare = await read({ pick: { kind: 'each', limit: 1 }, isBare: true })
  assert.ok(bare.length >= 14, 'at least one of each person and name')
  await narrow.close()
})
