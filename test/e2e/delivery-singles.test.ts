import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newDevices, startEngine, type TestEngine } from '../support/push/engine.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

let engine: TestEngine
before(async () => {
  engine = await startEngine()
})
after(async () => engine.close())

const COUNT = 400
/** Each settlement used to be a transaction of its own. */
const SETTLEMENTS_MAX = COUNT / 4

test('notifications to one person each are settled many at a time, and each arrives once', async () => {
  const { database, sandbox } = engine
  const { brandId } = await engine.brand()
  const devices = newDevices(engine, { platform: 'android', count: COUNT })
  const ids = await seedDevices(database, { brandId, platform: 'android', devices })
  const { rows: names } = await database.query<{ name: string }>(
    'select subscription_id as name from subscriptions where brand_id = $1 and id = any($2)',
    [brandId, ids],
  )
  for (const { name } of names) {
    const keys = { userId: null, subscriptionId: name, eitherId: null, deviceId: null }
    await acceptNotification(database, { brandId, target: { kind: 'one', keys } })
  }
  engine.startWorker()
  const left = `select from notifications where brand_id = $1 and state <> 'sent'`
  await engine.until(async () => (await database.query(left, [brandId])).count === 0)
  const { rows } = await database.query<{ settlements: number; accepted: number }>(
    `select count(distinct xmin::text)::integer as settlements, count(*)::integer as accepted from deliveries
     where brand_id = $1 and state = 'accepted'`,
    [brandId],
  )
  const [{ settlements, accepted } = { settlements: 0, accepted: 0 }] = rows
  assert.equal(accepted, COUNT)
  assert.ok(settlements <= SETTLEMENTS_MAX, `${settlements} transactions for ${COUNT} outcomes`)
  const addresses = sandbox.inbox.newest().map(({ address }) => address)
  assert.deepEqual(addresses.toSorted(), devices.map(({ address }) => address).toSorted())
})
