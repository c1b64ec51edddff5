import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ANYONE } from '../../src/sandbox/faults.ts'
import { shiftableClock } from '../support/database/shifted-clock.ts'
import { endWith } from '../support/processes/beckon.ts'
import { startBadProvider } from '../support/push/bad-provider.ts'
import { anyContent } from '../support/push/content.ts'
import { newDevices, startEngine } from '../support/push/engine.ts'
import { acceptNotification, report } from '../support/push/notifications.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

const HOUR = 3_600_000

async function startShifted(context: TestContext) {
  const apple = await startBadProvider('hang')
  const engine = await startEngine({ apns: apple, poolLimits: { answerMs: HOUR } })
  endWith(context, async () => {
    await apple.close()
    await engine.close()
  })
  const shift = await shiftableClock(engine.url)
  const { brandId } = await engine.brand()
  const { database } = engine
  const broadcast = async (platform: 'android' | 'ios', count: number, perSecond: number | null) => {
    const devices = newDevices(engine, { platform, count })
    await seedDevices(database, { brandId, platform, devices })
    // A day to live, or else an hour forward is the end of it.
    const id = await acceptNotification(database, {
      brandId,
      platform,
      perSecond,
      content: anyContent({ ttlSeconds: 86_400 }),
      target: { kind: 'all' },
    })
    return { brandId, id }
  }
  return { apple, engine, shift, brandId, broadcast }
}

test('a database clock that is set back an hour delays neither a throttled broadcast nor a retry', async (context) => {
  const { engine, shift, broadcast } = await startShifted(context)
  engine.startWorker()
  const throttled = await broadcast('android', 60, 10)
  await engine.until(async () => (await report(engine.database, throttled)).accepted > 5)
  engine.sandbox.fcm.faults.add(ANYONE, { kind: 'answer', status: 503, headers: { 'retry-after': '4' } }, 3)
  await engine.until(
    async () => (await engine.database.query('select from chunks where attempt > 1')).count > 0,
  )
  await shift(-HOUR)
  assert.equal((await engine.untilOver(throttled)).accepted, 60)
})

test('a database clock that is set forward an hour takes no chunk from the worker that sends it', async (context) => {
  const { apple, engine, shift, broadcast } = await startShifted(context)
  engine.startWorker()
  await broadcast('ios', 20, null)
  await engine.until(() => apple.open === 20)
  engine.startWorker()
  await shift(HOUR)
  // Both workers go on with new work, and by then each has claimed many times by the new clock.
  for (let made = 0; made < 20; made += 1) {
    const { accepted } = await engine.untilOver(await broadcast('android', 1, null))
    assert.equal(accepted, made + 1)
  }
  assert.equal(apple.taken, 20)
  const { rows } = await engine.database.query("select claims from chunks where platform = 'ios'")
  assert.deepEqual(rows, [{ claims: 1 }])
})
