import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { PLATFORM_NAMES, type Platform } from '../../src/rules/platforms.ts'
import type { InboxMessage } from '../../src/sandbox/inbox.ts'
import { anyContent } from '../support/push/content.ts'
import { newDevices, seedVapidKey, startEngine, type TestEngine } from '../support/push/engine.ts'
import { toldEnd, toldOf } from '../support/push/far-ends.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

let engine: TestEngine
before(async () => {
  engine = await startEngine()
  engine.startWorker()
})
after(async () => engine.close())
afterEach(() => {
  for (const { faults } of Object.values(simulators())) faults.clear()
})

const TTL_SECONDS = 1_200
const WAITED_SECONDS = 480

for (const platform of PLATFORM_NAMES) {
  test(`${platform}: the push service is told the part of the ttl that is left`, async () => {
    const { address, sendAt, untilOver } = await sendLate(platform, { ttlSeconds: TTL_SECONDS })
    assert.equal((await untilOver()).accepted, 1)
    assertEnd(arrivalsOf(address), sendAt + TTL_SECONDS * 1000)
  })

  test(`${platform}: a personal text that is tried again keeps to the ttl of its first moment`, async () => {
    simulators()[platform].faults.add('*', { kind: 'answer', status: 503 }, 1)
    const message = { ttlSeconds: TTL_SECONDS, body: 'Hello {{ user.name }}' }
    const { address, sendAt, untilOver } = await sendLate(platform, message)
    assert.equal((await untilOver()).accepted, 1)
    assertEnd(arrivalsOf(address), sendAt + TTL_SECONDS * 1000)
  })

  test(`${platform}: a ttl that is over is expired, and a ttl of 0 is told as 0`, async () => {
    const expired = await sendLate(platform, { ttlSeconds: WAITED_SECONDS - 1 })
    assert.equal((await expired.untilOver()).reason, 'expired')
    assert.deepEqual(arrivalsOf(expired.address), [])
    const atOnce = await sendLate(platform, { ttlSeconds: 0, waitedSeconds: 5 })
    assert.equal((await atOnce.untilOver()).accepted, 1)
    assert.deepEqual(arrivalsOf(atOnce.address).map(toldOf), [0])
  })
}

type Late = { readonly ttlSeconds: number; readonly waitedSeconds?: number; readonly body?: string }

/** A notification to one device that was accepted a while ago and is handed over now. */
async function sendLate(platform: Platform, late: Late) {
  const { ttlSeconds, waitedSeconds = WAITED_SECONDS, body = 'Body' } = late
  const { database } = engine
  const { brandId } = await engine.brand()
  const vapidKey = platform === 'web' ? await seedVapidKey(database, brandId) : null
  const devices = newDevices(engine, { platform, count: 1, vapidKey })
  await seedDevices(database, { brandId, platform, devices })
  const now = Date.now() - waitedSeconds * 1000
  const content = anyContent({ ttlSeconds, body })
  const id = await acceptNotification(database, { brandId, platform, content, target: { kind: 'all' }, now })
  const untilOver = async () => engine.untilOver({ brandId, id })
  return { address: devices[0]?.address ?? '', sendAt: now, untilOver }
}

function simulators() {
  const { fcm, apns, web } = engine.sandbox
  return { android: fcm, ios: apns, web }
}

function arrivalsOf(wanted: string): readonly InboxMessage[] {
  return engine.sandbox.inbox.newest().filter(({ address }) => address === wanted)
}

/**
 * Providers count in whole seconds. The clock of a worker is ahead by the delay of the database's first answer, and a
 * slow machine may need some seconds between the hand-over and the arrival.
 */
function assertEnd(arrivals: readonly InboxMessage[], endAt: number): void {
  assert.equal(arrivals.length, 1)
  for (const arrival of arrivals) {
    const off = toldEnd(arrival) - endAt
    assert.ok(off > -30_000 && off < 60_000, `${off} ms from its end`)
  }
}
