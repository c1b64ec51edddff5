import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { skipAllDue } from '../../src/pipeline/push/skip-due.ts'
import { Database } from '../../src/store/db.ts'
import { claimChunks } from '../../src/store/push/chunks.ts'
import { claimPlans } from '../../src/store/push/planning.ts'
import { releaseSends } from '../../src/store/push/release.ts'
import { holdSending, loadHold, resumeSending } from '../../src/store/push/sending-hold.ts'
import { claimWebhooks } from '../../src/store/webhooks/queue.ts'
import { freshDatabase, PATIENT } from '../support/database/database.ts'
import { runJourneysAt } from '../support/journeys/runs.ts'
import { seedDueEnrolments, seedJourney } from '../support/journeys/seeds.ts'
import { memoryLog } from '../support/memory-log.ts'
import { claimOne, drain, open, planDue, settle } from '../support/push/drain.ts'
import { acceptNotification, countsOf, expectedCounts, report } from '../support/push/notifications.ts'
import { skipUntilHonolulu } from '../support/push/skip-zones.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { addEndpoint } from '../support/webhooks/webhooks.ts'

const { database, brand, drop, url } = await freshDatabase()
after(drop)
afterEach(async () => {
  await resumeSending(database)
  await database.query('delete from chunks')
  await database.query('delete from notifications')
})

const LATER_MS = 60_000

/** Every claim of something that would leave, as several workers make it at once. */
const CLAIMS: Readonly<Record<string, (now: number) => Promise<number>>> = {
  'a release of scheduled sends': async (now) => releaseSends(database, { rowsMax: 10, now }),
  'a claim of broadcasts': async (now) =>
    (await claimPlans(database, { count: 10, leaseMs: 1_000, now })).length,
  'a claim of chunks': async (now) =>
    (await claimChunks(database, { workerId: 'w', count: 10, leaseMs: 1_000, sizes: 'any', now })).length,
  'a claim of webhook messages': async (now) =>
    (await claimWebhooks(database, { workerId: 'w', calls: 10, leaseMs: 1_000, health: 'well', now })).length,
}

for (const [name, claim] of Object.entries(CLAIMS)) {
  test(`${name} finds nothing while sending is held, and all of it after`, async () => {
    const { brandId } = await brand()
    await seedSubscriptions(database, { brandId, userId: 'ann', count: 2 })
    const target = { kind: 'user', userId: 'ann' } as const
    await acceptNotification(database, { brandId, target })
    await acceptNotification(database, { brandId, target, timing: { kind: 'after', delayMs: 10 } })
    await acceptNotification(database, { brandId, target: { kind: 'all' } })
    const endpointId = await addEndpoint(database, brandId, ['notification.sent'])
    await database.query(
      `insert into webhook_messages (brand_id, endpoint_id, event_type, data, created_at, ready_at)
       values ($1, $2, 'notification.sent', '{}', now(), now())`,
      [brandId, endpointId],
    )
    const now = Date.now() + LATER_MS
    await holdSending(database)
    const found = await Promise.all([1, 2, 3, 4].map(async () => claim(now)))
    assert.deepEqual(found, [0, 0, 0, 0])
    const { rows } = await database.query<{ claims: number }>(
      `select (select sum(claims) from chunks where brand_id = $1)::integer
         + (select sum(claims) from webhook_messages where brand_id = $1)::integer as claims`,
      [brandId],
    )
    assert.equal(rows[0]?.claims, 0, 'nobody took what it was not told of')

    await resumeSending(database)
    assert.ok((await claim(now)) > 0)
  })
}

test('a hold that is held again keeps its beginning, and letting go twice is once', async () => {
  await holdSending(database)
  const since = await loadHold(database)
  await holdSending(database)
  assert.equal(await loadHold(database), since)
  assert.notEqual(since, null)
  assert.deepEqual([await resumeSending(database), await resumeSending(database)], [true, false])
})

test('a hold and its end are lines of the instance, and one that changes nothing is none', async () => {
  await database.query('delete from audit where brand_id = 0')
  const operator = new Database({ ...PATIENT, url, connectionsMax: 1, name: 'beckon test', author: 'cli' })
  await holdSending(operator)
  await holdSending(operator)
  await resumeSending(operator)
  await resumeSending(operator)
  await operator.close()
  const { rows } = await database.query(
    `select actor, action, subject_type as type, subject_id as id from audit where brand_id = 0 order by id`,
  )
  const line = { actor: 'cli', type: 'sending', id: 'all' }
  assert.deepEqual(rows, [
    { ...line, action: 'held' },
    { ...line, action: 'resumed' },
  ])
})

test('skipping cancels what came due, whole and with counts that add up, and nothing else', async () => {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, userId: 'ann', count: 3 })
  const ann = { kind: 'user', userId: 'ann' } as const
  const before = Date.now() - LATER_MS
  const accept = async (seed: object) => acceptNotification(database, { brandId, target: ann, ...seed })
  const half = await accept({ target: { kind: 'all' }, perSecond: 1, now: before })
  await planDue(database)
  const chunk = await claimOne(database)
  assert.ok(chunk !== null)
  const opened = await open(database, chunk)
  const [first] = opened?.recipients ?? []
  assert.ok(first !== undefined)
  await settle(database, chunk, [{ recipientId: first.id }])
  await database.query(
    'update chunks set ready_at = now(), leased_by = null, leased_until = null where brand_id = $1',
    [brandId],
  )

  const sent = await accept({ timing: { kind: 'after', delayMs: LATER_MS / 2 }, now: before })
  const broadcast = await accept({ target: { kind: 'all' }, now: before })
  const future = await accept({ timing: { kind: 'after', delayMs: LATER_MS } })
  await holdSending(database)
  assert.deepEqual(await skipAllDue({ database, log: memoryLog() }), {
    notifications: 3,
    campaigns: 0,
    people: 0,
  })
  assert.deepEqual(await skipAllDue({ database, log: memoryLog() }), {
    notifications: 0,
    campaigns: 0,
    people: 0,
  })
  await resumeSending(database)

  for (const [id, counts] of [
    [half, expectedCounts({ audience: 3, accepted: 1, cancelled: 2 })],
    [sent, expectedCounts({ audience: null })],
    [broadcast, expectedCounts({ audience: 3, cancelled: 3 })],
  ] as const) {
    const found = await report(database, { brandId, id })
    assert.deepEqual({ state: found.state, ...countsOf(found) }, { state: 'cancelled', ...counts })
    assert.ok(found.finishedAt !== null)
  }
  assert.equal((await drain(database, { now: Date.now() + 2 * LATER_MS })).length, 3)
  assert.deepEqual(
    countsOf(await report(database, { brandId, id: future })),
    expectedCounts({ audience: 3, accepted: 3 }),
  )
})

test('more than a page is skipped, of every brand', async () => {
  for (const { brandId } of [await brand(), await brand()]) {
    await seedSubscriptions(database, { brandId, userId: 'ann' })
    const id = await acceptNotification(database, { brandId, target: { kind: 'user', userId: 'ann' } })
    await database.query(
      `insert into notifications (brand_id, id, platform, mode, content, profile_id, hand_over_seconds, state, send_at,
         expires_at, plan_at, created_at)
       select brand_id, uuidv7(), platform, mode, content, profile_id, hand_over_seconds, 'scheduled', send_at, expires_at,
         send_at, created_at
       from notifications cross join generate_series(1, 1100) where brand_id = $1 and id = $2`,
      [brandId, id],
    )
  }
  await holdSending(database)
  assert.equal((await skipAllDue({ database, log: memoryLog() })).notifications, 2 * 1101)
  const { count } = await database.query(
    `select from notifications where state <> 'cancelled' or pending > 0 or finished_at is null`,
  )
  assert.equal(count, 0)
  assert.equal((await database.query('select from chunks')).count, 0)
})

test('what is sent on each subscriber’s own clock is skipped where its time has passed, and sent where it comes', async () => {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, timeZone: 'UTC', count: 2 })
  const [islander] = await seedSubscriptions(database, { brandId, timeZone: 'Pacific/Honolulu' })
  const wall = new Date(Date.now() - 1_800_000).toISOString().slice(0, 19)
  const timing = { kind: 'subscriber', wall } as const
  const begun = await acceptNotification(database, { brandId, target: { kind: 'all' }, timing })
  await planDue(database)
  const untouched = await acceptNotification(database, { brandId, target: { kind: 'all' }, timing })
  await skipUntilHonolulu(database, [islander, islander])
  assert.deepEqual(
    countsOf(await report(database, { brandId, id: begun })),
    expectedCounts({ audience: 3, accepted: 1, cancelled: 2 }),
  )
  assert.deepEqual(
    countsOf(await report(database, { brandId, id: untouched })),
    expectedCounts({ audience: 1, accepted: 1 }),
  )
})

test('people whose step came due move on without its send, and get what comes after', async () => {
  const { brandId } = await brand()
  const send = { to: 'anywhere', title: 'Hello', message: 'World' }
  const steps = [
    { id: 'missed', send },
    { id: 'wait', wait: { hours: 1 } },
    { id: 'later', send },
  ]
  const ref = await seedJourney(database, brandId, { trigger: { event: 'signup' }, steps })
  const devices = Array.from({ length: 510 }, (_, at) => ({ address: `device-${brandId}-${at}` }))
  await seedDueEnrolments(database, { ...ref, devices, step: 'missed', wakeAt: Date.now() - LATER_MS })
  await holdSending(database)
  assert.deepEqual(await skipAllDue({ database, log: memoryLog() }), {
    notifications: 0,
    campaigns: 0,
    people: 510,
  })
  await resumeSending(database)
  assert.equal((await drain(database)).length, 0)
  const { rows } = await database.query<{ did: string; count: bigint }>(
    `select did, count from journey_counts where brand_id = $1 and step = 'missed'`,
    [brandId],
  )
  assert.deepEqual(rows, [{ did: 'skipped', count: 510n }])

  await runJourneysAt(database, brandId, Date.now() + 3_700_000)
  assert.equal((await drain(database, { now: Date.now() + 3_700_000 })).length, 510)
})

test('who had a date while sending was held enters, and is not told of it afterwards', async () => {
  const { brandId } = await brand()
  const [subscription] = await seedSubscriptions(database, { brandId, userId: 'ann' })
  assert.ok(subscription !== undefined)
  const at = new Date(Date.now() - LATER_MS)
  await database.query(
    `update profiles set attributes = jsonb_build_object('renewal', $2::text) where brand_id = $1`,
    [brandId, at.toISOString().slice(0, 10)],
  )
  const trigger = { date: 'renewal', at: at.toISOString().slice(11, 16) }
  const steps = [{ id: 'tell', send: { to: 'anywhere', title: 'Hello', message: 'World' } }]
  const ref = await seedJourney(database, brandId, { trigger, steps })
  await database.query(
    `update journeys set active_since = now() - interval '2 hours' where brand_id = $1 and id = $2`,
    [brandId, ref.journeyId],
  )
  await holdSending(database)
  assert.equal((await skipAllDue({ database, log: memoryLog() })).people, 1)
  await resumeSending(database)
  await runJourneysAt(database, brandId, Date.now() + LATER_MS)
  assert.equal((await drain(database, { now: Date.now() + LATER_MS })).length, 0)
})
