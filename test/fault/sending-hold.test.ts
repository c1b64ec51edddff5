import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { skipAllDue } from '../../src/pipeline/push/skip-due.ts'
import { holdSending, resumeSending } from '../../src/store/push/sending-hold.ts'
import { seedDueEnrolments, seedJourney } from '../support/journeys/seeds.ts'
import { memoryLog } from '../support/memory-log.ts'
import { startKillable } from '../support/processes/killable-worker.ts'
import { newDevices } from '../support/push/engine.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { untilLookedAt } from '../support/push/sending-hold.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

const { engine, workers, close } = await startKillable()
after(close)

const PEOPLE = 60

async function startWorker() {
  return workers.start(0, ['--journeys'])
}

/** People in a journey who are due, and a broadcast, a send and a scheduled send to all of them that are due too. */
async function pileUp(): Promise<{ readonly brandId: number; readonly ids: readonly string[] }> {
  const { database } = engine
  const { brandId } = await engine.brand()
  const steps = [{ id: 'tell', send: { to: 'anywhere', title: 'Hello', message: 'World' } }]
  const ref = await seedJourney(database, brandId, { trigger: { event: 'signup' }, steps })
  const devices = newDevices(engine, { platform: 'android', count: PEOPLE })
  await seedDueEnrolments(database, { ...ref, devices, step: 'tell', wakeAt: Date.now() })
  await seedDevices(database, { brandId, platform: 'ios', devices: newDevices(engine, IOS) })
  const accept = async (seed: object) =>
    acceptNotification(database, { brandId, platform: 'ios', target: { kind: 'all' }, ...seed })
  return { brandId, ids: [await accept({}), await accept({ timing: { kind: 'after', delayMs: 50 } })] }
}

const IOS = { platform: 'ios', count: 300 } as const

test('while sending is held nothing leaves, whoever is killed; let go, everything leaves once', async () => {
  const { database, sandbox } = engine
  await holdSending(database)
  const { brandId, ids } = await pileUp()
  const running = [await startWorker(), await startWorker()]
  await untilLookedAt(database)
  for (const worker of running) await workers.kill(worker)
  await startWorker()
  await startWorker()
  const late = await acceptNotification(database, { brandId, platform: 'ios', target: { kind: 'all' } })
  await untilLookedAt(database)
  assert.equal(sandbox.inbox.total, 0)

  await resumeSending(database)
  for (const id of [...ids, late]) await engine.untilOver({ brandId, id })
  const wanted = PEOPLE + 3 * IOS.count
  await until(() => sandbox.inbox.total >= wanted, { what: 'all of it' })
  const over = async () =>
    (
      await database.query(
        `select from notifications where brand_id = $1 and not (state = 'sent' and accepted = audience)`,
        [brandId],
      )
    ).count === 0
  await until(over, { what: 'the end' })
  assert.equal(sandbox.inbox.total, wanted)
  const pairs = sandbox.inbox.newest().map(({ address, collapseId }) => `${address} ${collapseId}`)
  assert.equal(new Set(pairs).size, wanted)
})

test('a hold in the middle of a broadcast stops it within seconds, and skipping what is due ends it', async () => {
  const { database, sandbox } = engine
  await startWorker()
  const { brandId } = await engine.brand()
  await seedDevices(database, { brandId, platform: 'ios', devices: newDevices(engine, IOS) })
  sandbox.inbox.clear()
  const id = await acceptNotification(database, {
    brandId,
    platform: 'ios',
    target: { kind: 'all' },
    // So slow that it cannot be over before the hold is noticed, however busy the machine.
    perSecond: 2,
  })
  await until(() => sandbox.inbox.total > 0, { what: 'the first' })
  await holdSending(database)
  const isHeldByNobody = async () =>
    (await database.query('select from chunks where brand_id = $1 and leased_by is not null', [brandId]))
      .count === 0
  await until(isHeldByNobody, { what: 'the workers to leave it' })
  const left = sandbox.inbox.total
  await untilLookedAt(database)
  assert.equal(sandbox.inbox.total, left)
  assert.ok(left < IOS.count)

  await skipAllDue({ database, log: memoryLog() })
  await resumeSending(database)
  const found = await engine.untilOver({ brandId, id })
  assert.deepEqual([found.state, found.accepted, found.cancelled], ['cancelled', left, IOS.count - left])
  assert.equal(sandbox.inbox.total, left)
})
