import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startEngine, type TestEngine, untilOver } from '../support/engine.ts'
import { acceptNotification, countsOf } from '../support/notifications.ts'
import { seedDevices } from '../support/subscriptions.ts'

let engine: TestEngine
before(async () => {
  engine = await startEngine()
  engine.startWorker()
})
after(async () => engine.close())

for (const platform of ['android', 'ios'] as const) {
  test(`${platform}: a send arrives at the provider, and a broadcast at everybody's`, async () => {
    const { database, sandbox } = engine
    const { brandId } = await engine.brand()
    const tokens = Array.from({ length: 250 }, () => TOKENS[platform]())
    await seedDevices(database, { brandId, platform, addresses: tokens })
    sandbox.inbox.clear()
    const id = await acceptNotification(database, { brandId, platform, target: { kind: 'all' } })
    const found = await untilOver(database, { brandId, id })
    assert.equal(found.state, 'sent')
    assert.deepEqual(countsOf(found), [250, 250, 0, 0, 0, 0])
    const arrived = sandbox.inbox.newest()
    assert.deepEqual(new Set(arrived.map(({ address }) => address)), new Set(tokens))
    assert.equal(arrived.length, tokens.length)
    assert.equal(new Set(arrived.map(({ collapseId }) => collapseId)).size, tokens.length)
  })
}

const TOKENS = {
  android: () => engine.sandbox.fcm.newToken(),
  ios: () => engine.sandbox.apns.newToken(),
} as const
