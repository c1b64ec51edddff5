import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { stopBrand } from '../../src/store/brand/deletion.ts'
import { loadDueWork } from '../../src/store/due-work.ts'
import { COUNTING_READER, ensureReaders } from '../../src/store/events/readers.ts'
import { WORK_KINDS, type WorkKind } from '../../src/store/notify.ts'
import { holdSending, resumeSending } from '../../src/store/push/sending-hold.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'
import { until } from '../support/until.ts'
import { addEndpoint } from '../support/webhooks/webhooks.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)
afterEach(async () => {
  for (const table of TABLES) await database.query(`delete from ${table}`)
})

const ID = '01900000-0000-7000-8000-000000000000'
const TABLES = ['notifications', 'chunks', 'enrolments', 'journeys', 'webhook_messages', 'campaigns'] as const

/** Each kind of work that is or will be due, in whole minutes from now. */
async function due(): Promise<Partial<Record<WorkKind, number>>> {
  const { kinds } = await loadDueWork(database.queue)
  return Object.fromEntries(kinds.map(({ kind, inMs }) => [kind, Math.round(inMs / 60_000)]))
}

/** A brand that has been seen by the counting, so that nothing is to be done for it. */
async function quietBrand(): Promise<number> {
  const { brandId } = await brand()
  await ensureReaders(database, COUNTING_READER)
  return brandId
}

async function addNotification(brandId: number, mode: string, minutes: number): Promise<void> {
  await database.query(
    `insert into notifications (brand_id, id, platform, mode, content, hand_over_seconds, state, send_at, expires_at,
       plan_at, created_at)
     values ($1, uuidv7(), 'web', $2, '{}', 60, 'queued', now(), now() + interval '1 hour',
       now() + $3 * interval '1 minute', now())`,
    [brandId, mode, minutes],
  )
}

type ChunkSeed = { readonly minutes: number; readonly leasedMinutes?: number; readonly livesMinutes?: number }

async function addChunk(
  brandId: number,
  { minutes, leasedMinutes, livesMinutes = 600 }: ChunkSeed,
): Promise<void> {
  await database.query(
    `insert into chunks (brand_id, platform, notification_id, first_id, last_id, remaining, is_bulk, ready_at, expires_at,
       leased_by, leased_until)
     values ($1, 'ios', $2, 1, 7, 7, true, now() + $3 * interval '1 minute', now() + $5 * interval '1 minute',
       case when $4::integer is not null then 'w' end, now() + $4 * interval '1 minute')`,
    [brandId, ID, minutes, leasedMinutes ?? null, livesMinutes],
  )
}

async function addEnrolment(brandId: number, state: string, minutes: number): Promise<void> {
  await database.query(
    `with j as (
       insert into journeys (brand_id, name, state, version, created_at, updated_at)
       values ($1, 'a', $2, 1, now(), now()) returning id
     )
     insert into enrolments (brand_id, journey_id, version, profile_id, state, step, is_waiting, step_at, wake_at, visits,
       entered_at, path)
     select $1, id, 1, 1, 'active', 's', false, now(), now() + $3 * interval '1 minute', 1, now(), '[]' from j`,
    [brandId, state, minutes],
  )
}

async function addWebhookMessage(brandId: number, minutes: number): Promise<string> {
  const endpoint = await addEndpoint(database, brandId, ['notification.sent'])
  await database.query(
    `insert into webhook_messages (brand_id, endpoint_id, event_type, data, created_at, ready_at)
     values ($1, $2, 'x', '{}', now(), now() + $3 * interval '1 minute')`,
    [brandId, endpoint, minutes],
  )
  return endpoint
}

async function addCampaign(brandId: number, decideMinutes: number): Promise<void> {
  await database.query(
    `insert into campaigns (brand_id, name, state, document, created_by, created_at, updated_at, decide_at)
     values ($1, 'a', 'deciding', '{}', 'key:1', now(), now(), now() + $2 * interval '1 minute')`,
    [brandId, decideMinutes],
  )
}

test('an idle Beckon has no work, and a new brand is work for the counting', async () => {
  await quietBrand()
  assert.deepEqual(await due(), {})
  await brand()
  assert.deepEqual(await due(), { events: 0 })
  await ensureReaders(database, COUNTING_READER)
  assert.deepEqual(await due(), {})
})

test('every kind of work is seen, with the time at which the first of it is due', async () => {
  const brandId = await quietBrand()
  await addNotification(brandId, 'send', 3)
  await addNotification(brandId, 'all', 2)
  await addChunk(brandId, { minutes: 5 })
  await addChunk(brandId, { minutes: 4, livesMinutes: 9 })
  await addEnrolment(brandId, 'active', 6)
  await addWebhookMessage(brandId, 7)
  await addCampaign(brandId, 8)
  await database.query(
    `insert into event_batches (brand_id, id, entries, attributes_seen) values ($1, 1 << 21, 1, '{}')`,
    [brandId],
  )
  // Readers stop at the oldest open transaction of the server, which other tests have too.
  await until(async () => (await due()).events === 0, { what: 'the batch to be readable' })
  const found = await due()
  assert.deepEqual(found, {
    plan: 2,
    send: 4,
    events: 0,
    journeys: 6,
    webhooks: 7,
    campaigns: 8,
    upkeep: 9,
  })
  assert.deepEqual(Object.keys(found).toSorted(), WORK_KINDS.toSorted())
  await database.query('delete from event_batches')
})

test('work that another worker has is due when its lease has run out', async () => {
  const brandId = await quietBrand()
  await addChunk(brandId, { minutes: -5, leasedMinutes: 1 })
  assert.equal((await due()).send, undefined)
  await database.query(`update chunks set leased_until = now() - interval '1 second'`)
  assert.equal((await due()).send, -5)
})

test('an endpoint that is paused has work when the pause ends, a disabled one has none', async () => {
  const endpoint = await addWebhookMessage(await quietBrand(), -1)
  assert.equal((await due()).webhooks, -1)
  await database.query(`update webhook_endpoints set paused_until = now() + interval '9 minutes'`)
  assert.equal((await due()).webhooks, 9)
  await database.query(
    `update webhook_endpoints set disabled_at = now(), disabled_reason = 'gone' where id = $1`,
    [endpoint],
  )
  assert.equal((await due()).webhooks, undefined)
})

test('people in an archived journey are work now, in a paused one they are none', async () => {
  const brandId = await quietBrand()
  await addEnrolment(brandId, 'paused', -1)
  assert.equal((await due()).journeys, undefined)
  await addEnrolment(brandId, 'archived', 100)
  assert.equal((await due()).journeys, 0)
})

test('while sending is held, and for a deleted brand, nothing that sends is due', async () => {
  const { brandId, externalId } = await brand()
  await ensureReaders(database, COUNTING_READER)
  await addNotification(brandId, 'send', -1)
  await addChunk(brandId, { minutes: -1 })
  await addEnrolment(brandId, 'active', -1)
  await addWebhookMessage(brandId, -1)
  await addCampaign(brandId, -1)
  await holdSending(database)
  const held = await due()
  await resumeSending(database)
  assert.deepEqual(held, { upkeep: 600 })
  assert.deepEqual(await due(), {
    plan: -1,
    send: -1,
    journeys: -1,
    webhooks: -1,
    campaigns: -1,
    upkeep: 600,
  })
  const now = Date.now()
  await stopBrand(database, { externalId, now, until: now + 60_000 })
  assert.deepEqual(await due(), { plan: -1, upkeep: 600 })
})

test('a look at a long queue reads a few rows of it', async () => {
  const brandId = await quietBrand()
  await database.query(
    `insert into chunks (brand_id, platform, notification_id, first_id, last_id, remaining, is_bulk, ready_at, expires_at)
     select $1, 'android', $2, 1, 1, 1, false, now(), now() + interval '1 hour' from generate_series(1, 5000)`,
    [brandId, ID],
  )
  const read = await database.asQueue(async (tx) => {
    await loadDueWork(tx)
    return rowsRead(tx, 'chunks')
  })
  assert.ok(read < 500, String(read))
})
