import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Platform } from '../../src/rules/platforms.ts'
import { makeCertificate } from '../../src/sandbox/certificate.ts'
import { ANYONE } from '../../src/sandbox/faults.ts'
import { loadChannel } from '../../src/store/push/channels.ts'
import {
  newDevices,
  runPushLane,
  seedVapidKey,
  startEngine,
  type TestEngine,
} from '../support/push/engine.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

/** A fault lasts until the test has seen what it does, however seldom a busy machine lets the test look. */
const FOR_EVER = 1_000_000

let engine: TestEngine
before(async () => {
  engine = await startEngine()
})
after(async () => engine.close())

async function brandWith(platform: Platform) {
  const { database } = engine
  const { brandId } = await engine.brand()
  const ref = { brandId, platform }
  const vapidKey = platform === 'web' ? await seedVapidKey(database, brandId) : null
  const devices = newDevices(engine, { platform, count: 3, vapidKey })
  await seedDevices(database, { ...ref, devices })
  const accept = async () => acceptNotification(database, { ...ref, target: { kind: 'all' } })
  const channel = async () => loadChannel(database, ref)
  return { brandId, accept, channel }
}

test('a token endpoint that is down makes the channel failing, and the next accepted message makes it ok', async (context) => {
  const { sandbox } = engine
  sandbox.fcm.faults.add('/token', { kind: 'answer', status: 503, body: '{}' }, FOR_EVER)
  const { stop } = engine.startWorker()
  context.after(stop)
  const { brandId, accept, channel } = await brandWith('android')
  const id = await accept()
  await engine.until(async () => (await channel())?.failingReason === 'token_endpoint')
  sandbox.fcm.faults.clear()
  await engine.untilOver({ brandId, id })
  await engine.until(async () => (await channel())?.failingReason === null)
})

test('a certificate that is not trusted makes the channel failing, with its code', async (context) => {
  const stranger = makeCertificate(Date.now()).cert
  context.after(runPushLane(engine.database, { ...engine.access, certificate: stranger }))
  const { accept, channel } = await brandWith('ios')
  await accept()
  await engine.until(async () => ((await channel())?.failingReason ?? null) !== null)
  assert.match((await channel())?.failingReason ?? '', /CERT|SIGNATURE/)
})

test('a push service that is busy is listed, until it accepts a message', async (context) => {
  const { sandbox } = engine
  sandbox.web.faults.add(ANYONE, { kind: 'answer', status: 503 }, FOR_EVER)
  const { stop } = engine.startWorker()
  context.after(stop)
  const { brandId, accept, channel } = await brandWith('web')
  const id = await accept()
  await engine.until(async () => (await channel())?.refusedHosts[0]?.reason === 'http_503')
  sandbox.web.faults.clear()
  await engine.untilOver({ brandId, id })
  await engine.until(async () => (await channel())?.refusedHosts.length === 0)
})
