import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { advanceJourney } from '../../src/pipeline/journeys/steps.ts'
import { JourneyPlans } from '../../src/store/journeys/plans.ts'
import { seedDueEnrolments, seedJourney } from '../support/journeys/seeds.ts'
import { memoryLog } from '../support/memory-log.ts'
import { newDevices, startEngine } from '../support/push/engine.ts'
import { acceptNotification, countsOf, expectedCounts } from '../support/push/notifications.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

const engine = await startEngine()
engine.startWorker()
after(engine.close)
const { database } = engine

/** A brand with a cap, a person with two devices, and a device that nobody logged in to. */
async function cappedBrand(cap: number | null) {
  const { brandId } = await engine.brand()
  await database.query('update brands set frequency_cap = $2 where id = $1', [brandId, cap])
  const ids = await seedDevices(database, {
    brandId,
    platform: 'android',
    devices: newDevices(engine, { platform: 'android', count: 3 }),
  })
  await database.query(
    `with person as (
       insert into profiles (brand_id, created_at, updated_at) values ($1, now(), now()) returning id
     ), named as (
       insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
       select $1, 'user_id', 'ann', id, now() from person
     )
     update subscriptions set profile_id = (select id from person) where brand_id = $1 and id = any($2)`,
    [brandId, ids.slice(0, 2)],
  )
  const broadcast = async (ignoresCap = false) => {
    const id = await acceptNotification(database, { brandId, target: { kind: 'all' }, ignoresCap })
    return countsOf(await engine.untilOver({ brandId, id }))
  }
  return { brandId, broadcast }
}

const ALL = expectedCounts({ audience: 3, accepted: 3 })
const NONE = expectedCounts({ audience: 3, cancelled: 3 })

test('the last broadcast within the cap reaches everybody, the first beyond it nobody, and the counts add up', async () => {
  const { brandId, broadcast } = await cappedBrand(2)
  assert.deepEqual([await broadcast(), await broadcast(), await broadcast()], [ALL, ALL, NONE])
  const { rows } = await database.query<{ reason: string }>(
    `select distinct reason from deliveries where brand_id = $1 and state = 'cancelled'`,
    [brandId],
  )
  assert.deepEqual(rows, [{ reason: 'frequency_cap' }])
})

test('without a cap nothing is counted', async () => {
  const { brandId, broadcast } = await cappedBrand(null)
  assert.deepEqual([await broadcast(), await broadcast()], [ALL, ALL])
  assert.equal((await database.query('select from frequency_days where brand_id = $1', [brandId])).count, 0)
})

test('a broadcast that opts out, and a send to one, go through and do not count', async () => {
  const { brandId, broadcast } = await cappedBrand(1)
  assert.deepEqual(await broadcast(true), ALL)
  const single = async () => {
    const id = await acceptNotification(database, { brandId, target: { kind: 'user', userId: 'ann' } })
    return countsOf(await engine.untilOver({ brandId, id }))
  }
  assert.deepEqual(await single(), expectedCounts({ audience: 2, accepted: 2 }))
  assert.deepEqual(await broadcast(), ALL)
  assert.deepEqual(await broadcast(), NONE)
  assert.deepEqual(await broadcast(true), ALL)
  assert.deepEqual(await single(), expectedCounts({ audience: 2, accepted: 2 }))
})

test('broadcasts sent at the same moment share one cap', async () => {
  const { brandId } = await cappedBrand(2)
  const ids = await Promise.all(
    Array.from({ length: 5 }, async () => acceptNotification(database, { brandId, target: { kind: 'all' } })),
  )
  const counts = await Promise.all(ids.map(async (id) => countsOf(await engine.untilOver({ brandId, id }))))
  assert.equal(
    counts.reduce((sum, { accepted }) => sum + accepted, 0),
    2 * 3,
  )
})

test('journeys and broadcasts share one cap', async () => {
  const { brandId } = await cappedBrand(1)
  const steps = [{ id: 'remind', send: { to: 'anywhere', title: 'Hello', message: 'World' } }]
  const ref = await seedJourney(database, brandId, { trigger: { event: 'signup' }, steps })
  const devices = newDevices(engine, { platform: 'android', count: 2 })
  await seedDueEnrolments(database, { ...ref, devices, step: 'remind', wakeAt: Date.now() - 1_000 })
  await advanceJourney({ database, plans: new JourneyPlans(memoryLog()) }, ref)
  const { rows } = await database.query<{ id: string }>(
    'select id from notifications where brand_id = $1 and journey_id is not null',
    [brandId],
  )
  for (const { id } of rows) {
    assert.deepEqual(
      countsOf(await engine.untilOver({ brandId, id })),
      expectedCounts({ audience: 1, accepted: 1 }),
    )
  }
  const id = await acceptNotification(database, { brandId, target: { kind: 'all' } })
  assert.deepEqual(
    countsOf(await engine.untilOver({ brandId, id })),
    expectedCounts({ audience: 5, accepted: 3, cancelled: 2 }),
  )
})
