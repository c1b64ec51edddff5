import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listDeliveries } from '../../src/store/push/notification-reads.ts'
import { anyContent } from '../support/push/content.ts'
import { newDevices, startEngine } from '../support/push/engine.ts'
import { acceptNotification, countsOf, expectedCounts } from '../support/push/notifications.ts'
import { seedDevices, seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

/** What a template makes of the people it is for. */
const engine = await startEngine()
after(engine.close)
const { database, sandbox } = engine
engine.startWorker()

test('whose title and message come out empty gets nothing, and is counted as failed with the reason', async () => {
  const { brandId } = await engine.brand()
  const devices = newDevices(engine, { platform: 'ios', count: 2 })
  const [named, nameless] = await seedDevices(database, { brandId, platform: 'ios', devices })
  const [person] = await seedSubscriptions(database, { brandId, userId: 'ann', platform: 'android' })
  await database.query(
    `update profiles set attributes = '{"name": "Ann"}' where brand_id = $1
       and id = (select profile_id from subscriptions where brand_id = $1 and id = $2)`,
    [brandId, person],
  )
  await database.query(
    `update subscriptions set profile_id = (select profile_id from subscriptions where brand_id = $1 and id = $3)
     where brand_id = $1 and id = $2`,
    [brandId, named, person],
  )
  const content = anyContent({ title: '{{ user.name }}', body: ' {{ user.story }} ' })
  const id = await acceptNotification(database, {
    brandId,
    platform: 'ios',
    target: { kind: 'all' },
    content,
  })
  const found = await engine.untilOver({ brandId, id })
  assert.deepEqual(
    { state: found.state, ...countsOf(found) },
    { state: 'sent', ...expectedCounts({ audience: 2, accepted: 1, failed: 1 }) },
  )
  const list = { brandId, id, state: 'failed', afterId: 0n, limit: 10 } as const
  const failed = await listDeliveries(database, list)
  assert.deepEqual(
    failed.map((delivery) => [delivery.id, delivery.reason]),
    [[nameless, 'text_empty']],
  )
  assert.deepEqual(
    sandbox.inbox.newest().map(({ address }) => address),
    [devices[0]?.address],
  )
})
