import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { cancelNotification, lockNotification } from '../../src/store/push/cancel.ts'
import { planDue } from '../support/push/drain.ts'
import { newDevices, startEngine, type TestEngine } from '../support/push/engine.ts'
import { acceptNotification, countsOf, report } from '../support/push/notifications.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

let engine: TestEngine
before(async () => {
  engine = await startEngine()
  engine.startWorker()
  engine.startWorker()
})
after(async () => engine.close())

type Throttled = { readonly count: number; readonly perSecond: number }

async function throttled(on: TestEngine, { count, perSecond }: Throttled) {
  const { database, sandbox } = on
  const { brandId } = await on.brand()
  const devices = newDevices(on, { platform: 'ios', count })
  await seedDevices(database, { brandId, platform: 'ios', devices })
  sandbox.inbox.clear()
  const seed = { brandId, platform: 'ios', target: { kind: 'all' }, perSecond } as const
  return { brandId, id: await acceptNotification(database, seed) }
}

async function cancel(on: TestEngine, ref: { readonly brandId: number; readonly id: string }): Promise<void> {
  await on.database.asBrand(ref.brandId, async (tx) => {
    await lockNotification(tx, ref)
    await cancelNotification(tx, ref)
  })
}

test('a throttle holds across chunks and workers, within 5 %', async () => {
  const shares: number[] = []
  // A machine that stands still for half a second makes a throttle slow, and never fast: that is looked at every time.
  while (shares.length < 4 && !shares.some((share) => share >= 0.95)) {
    shares.push(await throttledShare(200))
    assert.ok(Math.max(...shares) <= 1.05, `${shares.join()} of what was asked for`)
  }
  assert.ok(Math.max(...shares) >= 0.95, `${shares.join()} of what was asked for`)
})

/** How much of the pace that was asked for a broadcast kept, from its first message to its last. */
async function throttledShare(perSecond: number): Promise<number> {
  const ref = await throttled(engine, { count: 1_500, perSecond })
  const found = await engine.untilOver(ref)
  assert.deepEqual(countsOf(found), [1_500, 1_500, 0, 0, 0, 0])
  const times = engine.sandbox.inbox.newest().map(({ arrivedAt }) => arrivedAt)
  const seconds = (Math.max(...times) - Math.min(...times)) / 1000
  return (times.length - 1) / seconds / perSecond
}

test('more throttled broadcasts than a worker has places each keep their pace', async (t) => {
  const alone = await startEngine()
  t.after(async () => alone.close())
  const perSecond = 40
  const refs = []
  for (let made = 0; made < 14; made += 1) refs.push(await throttled(alone, { count: 110, perSecond }))
  const worker = alone.startWorker()
  for (const ref of refs) await alone.untilOver(ref)
  await worker.stop()
  const arrivals = Map.groupBy(alone.sandbox.inbox.newest(), ({ collapseId }) => notificationOf(collapseId))
  assert.equal(arrivals.size, refs.length)
  for (const same of arrivals.values()) {
    const times = same.map(({ arrivedAt }) => arrivedAt)
    const seconds = (Math.max(...times) - Math.min(...times)) / 1000
    // With a place for each, they would take turns and need more than twice as long.
    assert.ok(seconds < (109 / perSecond) * 1.7, `${seconds} s`)
  }
})

/** A delivery's own id begins with its notification's. */
function notificationOf(collapseId: string | null): string {
  return (collapseId ?? '').slice(0, 21)
}

test('a cancel in the middle of a broadcast takes effect within a second', async () => {
  const { sandbox } = engine
  const { brandId, id } = await throttled(engine, { count: 2_000, perSecond: 300 })
  await engine.until(() => sandbox.inbox.total > 100)
  await cancel(engine, { brandId, id })
  const cancelledAt = Date.now()
  const found = await engine.untilOver({ brandId, id })
  const lastAt = Math.max(...sandbox.inbox.newest().map(({ arrivedAt }) => arrivedAt))
  assert.ok(lastAt - cancelledAt < 1_000, `the last arrived ${lastAt - cancelledAt} ms after`)
  assert.equal(found.state, 'cancelled')
  assert.equal(found.accepted, sandbox.inbox.total)
  assert.deepEqual(countsOf(found), [2_000, found.accepted, 0, 0, 2_000 - found.accepted, 0])
})

test('nothing is handed over after it expired', async (t) => {
  const idle = await startEngine()
  t.after(async () => idle.close())
  const { database, sandbox } = idle
  const ref = await throttled(idle, { count: 600, perSecond: 200 })
  await planDue(database)
  await database.query(`update chunks set expires_at = clock_timestamp() + interval '2 seconds'`)
  const expiresAt = Date.now() + 2_000
  idle.startWorker()
  const found = await idle.untilOver(ref)
  assert.ok(found.expired > 0 && found.accepted > 0)
  assert.equal(found.accepted + found.expired, 600)
  assert.equal(sandbox.inbox.total, found.accepted)
  const lastAt = Math.max(...sandbox.inbox.newest().map(({ arrivedAt }) => arrivedAt))
  // Without an end it would have gone on for a second; what was handed over in time may arrive a little later.
  assert.ok(lastAt <= expiresAt + 500, `${lastAt - expiresAt} ms after`)
})

test('single sends are not held up by a broadcast of another brand', async () => {
  const { database } = engine
  // So slow that it cannot be over before the single send is, however busy the machine.
  const large = await throttled(engine, { count: 3_000, perSecond: 10 })
  const { brandId } = await engine.brand()
  await seedDevices(database, {
    brandId,
    platform: 'ios',
    devices: newDevices(engine, { platform: 'ios', count: 1 }),
  })
  await engine.until(async () => (await report(database, large)).accepted > 0)
  const id = await acceptNotification(database, { brandId, platform: 'ios', target: { kind: 'all' } })
  await engine.untilOver({ brandId, id })
  assert.ok((await report(database, large)).pending > 0)
  await cancel(engine, large)
})
