import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { after, test } from 'node:test'
import { acceptJourneyPushes } from '../../src/intake/push/journey.ts'
import { releaseSends } from '../../src/store/push/release.ts'
import { freshDatabase } from '../support/database/database.ts'
import { anyContent } from '../support/push/content.ts'
import { drain } from '../support/push/drain.ts'
import { countsOf, expectedCounts, report } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

async function onePush() {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, userId: 'ann', count: 2 })
  const { rows } = await database.query<{ id: bigint }>('select id from profiles where brand_id = $1', [
    brandId,
  ])
  const [person] = rows
  assert.ok(person !== undefined)
  const id = randomUUIDv7()
  const now = Date.now()
  const message = {
    content: anyContent({ ttlSeconds: 3_600 }),
    alternatives: null,
    callerNotificationId: 2n ** 62n,
    topic: null,
    template: null,
  }
  const journey = { id, journeyId: 5n, step: 'remind', event: { order: 2n ** 60n } }
  const push = { journey, profileId: person.id, platform: 'android', message } as const
  return { id, now, brandId, pushes: [push] }
}

test('a push of a journey that is asked for twice reaches each device of the person once', async () => {
  const { id, brandId, ...asked } = await onePush()
  for (let time = 0; time < 2; time += 1) {
    await database.asEngine(async (tx) => acceptJourneyPushes(database, tx, { brandId, ...asked }))
    await releaseSends(database, { rowsMax: 50 })
  }
  assert.equal((await drain(database)).length, 2)
  assert.deepEqual(
    countsOf(await report(database, { brandId, id })),
    expectedCounts({ audience: 2, accepted: 2 }),
  )
  const { rows } = await database.query(
    `select mode, is_capped, journey_id::text as journey, caller_notification_id::text as caller,
       event ->> 'order' as ordered from notifications where id = $1`,
    [id],
  )
  assert.deepEqual(rows, [
    { mode: 'send', is_capped: true, journey: '5', caller: String(2n ** 62n), ordered: String(2n ** 60n) },
  ])
})

test('a push of a journey is saved with the transaction that asks for it, or not at all', async () => {
  const { brandId, ...asked } = await onePush()
  const failing = database.asEngine(async (tx) => {
    await acceptJourneyPushes(database, tx, { brandId, ...asked })
    throw new Error('the enrolments could not be saved')
  })
  await assert.rejects(failing, /could not be saved/)
  const { count } = await database.query('select from notifications where brand_id = $1', [brandId])
  assert.equal(count, 0)
})
