import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { LANE_ROWS_MAX, LANES } from '../../src/rules/lanes.ts'
import { loadBacklog } from '../../src/store/backlog.ts'
import { stopBrand } from '../../src/store/brand/deletion.ts'
import { COUNTING_READER, ensureReaders, ensureReadersNow } from '../../src/store/events/readers.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'
import { addEndpoint } from '../support/webhooks/webhooks.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const ID = '01900000-0000-7000-8000-000000000000'

/** Every lane as `count` and the whole minutes that its oldest work has waited. */
async function lanes(): Promise<Readonly<Record<string, readonly [number, number | null]>>> {
  const { lanes: found } = await loadBacklog(database.queue)
  return Object.fromEntries(
    found.map(({ lane, count, oldestMs }) => [
      lane,
      [count, oldestMs === null ? null : Math.floor(oldestMs / 60_000)],
    ]),
  )
}

async function addNotification(brandId: number, mode: string, minutesAgo: number): Promise<void> {
  await database.query(
    `insert into notifications (brand_id, id, platform, mode, content, hand_over_seconds, state, send_at, expires_at,
       plan_at, created_at)
     values ($1, uuidv7(), 'web', $2, '{}', 60, 'queued', now(), now() + interval '1 hour',
       now() - $3 * interval '1 minute', now())`,
    [brandId, mode, minutesAgo],
  )
}

type ChunkSeed = { readonly brandId: number; readonly isBulk: boolean; readonly minutesAgo: number }

async function addChunk(
  { brandId, isBulk, minutesAgo }: ChunkSeed,
  { attempt = 1, leased = false } = {},
): Promise<void> {
  await database.query(
    `insert into chunks (brand_id, platform, notification_id, first_id, last_id, remaining, is_bulk, ready_at, expires_at,
       attempt, leased_by, leased_until)
     values ($1, 'ios', $2, 1, 7, 7, $3, now() - $4 * interval '1 minute', now() + interval '1 hour', $5,
       case when $6 then 'w' end, case when $6 then now() + interval '1 minute' end)`,
    [brandId, ID, isBulk, minutesAgo, attempt, leased],
  )
}

test('an idle Beckon has an empty backlog in every lane', async () => {
  const found = await lanes()
  assert.deepEqual(Object.keys(found).toSorted(), Object.keys(LANES).toSorted())
  for (const [lane, [count, oldest]] of Object.entries(found)) {
    assert.deepEqual([count, oldest], [0, lane === 'results' ? null : 0], lane)
  }
})

test('each lane counts the work that waits, and how long its oldest has waited', async () => {
  const [{ brandId }, { brandId: other }] = [await brand(), await brand()]
  await addNotification(brandId, 'send', 3)
  await addNotification(other, 'send', 2)
  await addNotification(other, 'send', -5)
  await addNotification(other, 'all', 4)
  await addChunk({ brandId, isBulk: false, minutesAgo: 5 })
  await addChunk({ brandId: other, isBulk: false, minutesAgo: 2 })
  await addChunk({ brandId, isBulk: false, minutesAgo: 9 }, { leased: true })
  await addChunk({ brandId, isBulk: false, minutesAgo: -9 })
  await addChunk({ brandId, isBulk: true, minutesAgo: 6 })
  await addChunk({ brandId, isBulk: true, minutesAgo: 7 }, { attempt: 2 })
  await database.query(
    `insert into journeys (brand_id, name, state, version, created_at, updated_at)
     values ($1, 'a', 'active', 1, now(), now()), ($1, 'p', 'paused', 1, now(), now())`,
    [brandId],
  )
  await database.query(
    `insert into enrolments (brand_id, journey_id, version, profile_id, state, step, is_waiting, step_at, wake_at, visits,
       entered_at, path)
     select brand_id, id, 1, 1, 'active', 's', false, now(), now() - interval '8 minutes', 1, now(), '[]' from journeys`,
  )
  const endpoint = await addEndpoint(database, brandId, ['notification.sent'])
  await database.query(
    `insert into webhook_messages (brand_id, endpoint_id, event_type, data, created_at, ready_at)
     values ($1, $2, 'x', '{}', now() - interval '20 minutes', now() + interval '1 hour'),
       ($1, $2, 'x', '{}', now(), now())`,
    [brandId, endpoint],
  )
  await ensureReaders(database, COUNTING_READER)
  await ensureReadersNow(database, brandId, ['journeys', 'goals'])
  await database.query(
    `insert into event_batches (brand_id, id, entries, attributes_seen)
     values ($1, ((extract(epoch from now()) * 1000)::bigint - 11 * 60000) << 21, 30, '{}')`,
    [brandId],
  )
  await database.query(
    `insert into series_changes (brand_id, metric, at, count) values ($1, 'sends', now() - interval '13 minutes', 1)`,
    [brandId],
  )
  assert.deepEqual(await lanes(), {
    'plan-sends': [2, 3],
    'plan-broadcasts': [1, 4],
    'send-small': [14, 5],
    'send-bulk': [7, 6],
    retries: [7, 7],
    journeys: [1, 8],
    webhooks: [2, 20],
    counting: [30, 11],
    'journey-events': [30, 11],
    goals: [30, 11],
    series: [1, 12],
    results: [0, null],
  })
})

test('a brand that is being deleted has no backlog of messages, steps and calls: they wait for a restore', async () => {
  const { rows } = await database.query<{ id: string }>('select external_id as id from brands')
  const now = Date.now()
  for (const { id } of rows) await stopBrand(database, { externalId: id, now, until: now + 60_000 })
  const found = await lanes()
  for (const lane of ['send-small', 'send-bulk', 'retries', 'journeys', 'webhooks']) {
    assert.deepEqual(found[lane], [0, 0], lane)
  }
})

test('a long queue costs no more than the bound of a count', async () => {
  const { brandId } = await brand()
  await database.query(
    `insert into chunks (brand_id, platform, notification_id, first_id, last_id, remaining, is_bulk, ready_at, expires_at)
     select $1, 'android', $2, 1, 1, 1, false, now(), now() + interval '1 hour' from generate_series(1, 30000)`,
    [brandId, ID],
  )
  const read = await database.asQueue(async (tx) => {
    await loadBacklog(tx)
    return rowsRead(tx, 'chunks')
  })
  assert.ok(read < 2 * LANE_ROWS_MAX, String(read))
})
