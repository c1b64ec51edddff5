import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { cancelNotification, lockNotification } from '../../src/store/push/cancel.ts'
import { planDue } from '../support/push/drain.ts'
import { newDevices, startEngine, type TestEngine } from '../support/push/engine.ts'
import { acceptNotification, countsOf, expectedCounts, report } from '../support/push/notifications.ts'
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
  const acceptedAt = Date.now()
  return { brandId, id: await acceptNotification(database, seed), acceptedAt }
}

async function cancel(on: TestEngine, ref: { readonly brandId: number; readonly id: string }): Promise<void> {
  await on.database.asBrand(ref.brandId, async (tx) => {
    await lockNotification(tx, ref)
    await cancelNotification(tx, ref)
  })
}

const TRIES = 4

/** A busy machine is slow now and then: what a test promises has to hold in one of a few tries. */
async function holdsOnce(isHeld: () => Promise<boolean>): Promise<void> {
  for (let tries = 1; !(await isHeld()); tries += 1) assert.ok(tries < TRIES, `not in ${tries} tries`)
}

test('a throttle holds across chunks and workers, within 5 %', async () => {
  const [count, perSecond] = [1_500, 200]
  await holdsOnce(async () => {
    // The measure of a slow machine: what the same takes it as fast as it can.
    const quickestMs = spanOf((await broadcast(engine, { count, perSecond: 10_000 })).times)
    const { acceptedAt, times } = await broadcast(engine, { count, perSecond })
    const idealMs = ((count - 1) * 1000) / perSecond
    for (const [index, at] of times.toSorted((one, other) => one - other).entries()) {
      const dueMs = (index * 1000) / perSecond
      assert.ok(
        at - acceptedAt >= dueMs * 0.95 - CLOCK_MS,
        `number ${index} came ${at - acceptedAt} ms after`,
      )
    }
    return spanOf(times) <= idealMs / 0.95 + quickestMs
  })
})

/** How far the clocks of two processes may be rounded apart. */
const CLOCK_MS = 2

function spanOf(times: readonly number[]): number {
  return Math.max(...times) - Math.min(...times)
}

/** One throttled broadcast to its end: when it was accepted, and when each message arrived. */
async function broadcast(on: TestEngine, asked: Throttled) {
  const { acceptedAt, ...ref } = await throttled(on, asked)
  const found = await on.untilOver(ref)
  assert.deepEqual(countsOf(found), expectedCounts({ audience: asked.count, accepted: asked.count }))
  return { acceptedAt, times: on.sandbox.inbox.newest().map(({ arrivedAt }) => arrivedAt) }
}

test('more throttled broadcasts than a worker has places each keep their pace', async (t) => {
  const alone = await startEngine()
  t.after(async () => alone.close())
  const idealMs = (109 * 1000) / 40
  await holdsOnce(async () => {
    const quickestMs = Math.max(...(await manyAtOnce(alone, 10_000)))
    const spansMs = await manyAtOnce(alone, 40)
    // With a place for each, they would take turns and need more than twice as long.
    return Math.max(...spansMs) < idealMs * 1.7 + quickestMs
  })
})

/** How long each of fourteen broadcasts took that are ready when the worker comes. */
async function manyAtOnce(alone: TestEngine, perSecond: number): Promise<readonly number[]> {
  const refs = []
  for (let made = 0; made < 14; made += 1) refs.push(await throttled(alone, { count: 110, perSecond }))
  const worker = alone.startWorker()
  for (const ref of refs) await alone.untilOver(ref)
  await worker.stop()
  const arrivals = Map.groupBy(alone.sandbox.inbox.newest(), ({ collapseId }) => notificationOf(collapseId))
  assert.equal(arrivals.size, refs.length)
  return [...arrivals.values()].map((same) => spanOf(same.map(({ arrivedAt }) => arrivedAt)))
}

/** A delivery's own id begins with its notification's. */
function notificationOf(collapseId: string | null): string {
  return (collapseId ?? '').slice(0, 21)
}

test('a cancel in the middle of a broadcast takes effect within a second', async () => {
  const { sandbox } = engine
  await holdsOnce(async () => {
    // So slow that it cannot be over before the cancel is heard, however busy the machine.
    const { brandId, id } = await throttled(engine, { count: 2_000, perSecond: 50 })
    await engine.until(() => sandbox.inbox.total > 20)
    const askedAt = Date.now()
    await cancel(engine, { brandId, id })
    const cancelledAt = Date.now()
    const found = await engine.untilOver({ brandId, id })
    assert.equal(found.state, 'cancelled')
    assert.ok(found.accepted < 2_000)
    assert.equal(found.accepted, sandbox.inbox.total)
    assert.deepEqual(
      countsOf(found),
      expectedCounts({ audience: 2_000, accepted: found.accepted, cancelled: 2_000 - found.accepted }),
    )
    const lastAt = Math.max(...sandbox.inbox.newest().map(({ arrivedAt }) => arrivedAt))
    // The cancel itself is the measure of a slow machine: to hear of it takes a few statements, too.
    return lastAt - cancelledAt < 1_000 + 5 * (cancelledAt - askedAt)
  })
})

test('nothing is handed over after it expired', async (t) => {
  const idle = await startEngine()
  t.after(async () => idle.close())
  const { database, sandbox } = idle
  // On a busy machine the worker may take a few seconds to begin.
  const [seconds, perSecond] = [10, 40]
  const ref = await throttled(idle, { count: 600, perSecond })
  await planDue(database)
  await database.query(`update chunks set expires_at = clock_timestamp() + $1 * interval '1 second'`, [
    seconds,
  ])
  idle.startWorker()
  const found = await idle.untilOver(ref)
  assert.ok(found.expired > 0 && found.accepted > 0)
  assert.equal(found.accepted + found.expired, 600)
  assert.equal(sandbox.inbox.total, found.accepted)
  // A throttle is never fast, so more than this would have been handed over later than the end.
  assert.ok(found.accepted <= seconds * perSecond + 1, `${found.accepted} were handed over`)
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
