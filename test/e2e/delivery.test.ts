import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PLATFORM_NAMES } from '../../src/rules/platforms.ts'
import { newDevices, RECEIPTS, seedVapidKey, startEngine, type TestEngine } from '../support/push/engine.ts'
import { acceptNotification, countsOf, expectedCounts } from '../support/push/notifications.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

let engine: TestEngine
before(async () => {
  engine = await startEngine()
  engine.startWorker()
})
after(async () => engine.close())

for (const platform of PLATFORM_NAMES) {
  test(`${platform}: a broadcast arrives once at every device, each with an identity and a receipt of its own`, async () => {
    const { database, sandbox } = engine
    const { brandId } = await engine.brand()
    const vapidKey = platform === 'web' ? await seedVapidKey(database, brandId) : null
    const devices = newDevices(engine, { platform, count: 250, vapidKey })
    await seedDevices(database, { brandId, platform, devices })
    sandbox.inbox.clear()

    const id = await acceptNotification(database, { brandId, platform, target: { kind: 'all' } })
    const found = await engine.untilOver({ brandId, id })
    assert.equal(found.state, 'sent')
    assert.deepEqual(countsOf(found), expectedCounts({ audience: 250, accepted: 250 }))

    const arrived = sandbox.inbox.newest()
    const addresses = arrived.map(({ address }) => address)
    assert.deepEqual(addresses.toSorted(), devices.map(({ address }) => address).toSorted())
    assert.equal(new Set(arrived.map(({ collapseId }) => collapseId)).size, 250)
    const deliveries = arrived.map(({ payload }) => RECEIPTS.open(receiptIn(payload), Date.now()))
    assert.ok(deliveries.every((delivery) => delivery?.notificationId === id && delivery.brandId === brandId))
    assert.equal(new Set(deliveries.map((delivery) => delivery?.subscriptionId)).size, 250)
  })
}

/** Wherever a platform puts it. */
function receiptIn(payload: unknown): string {
  return /"receipt":"([^"]+)"/.exec(JSON.stringify(payload))?.[1] ?? ''
}
