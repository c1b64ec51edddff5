import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { BRAKE_RULES, RETRY_RULES } from '../../src/rules/push.ts'
import { ANYONE, type ProviderFault } from '../../src/sandbox/faults.ts'
import { loadChannel } from '../../src/store/push/channels.ts'
import { startKillable } from '../support/processes/killable-worker.ts'
import { newDevices, seedVapidKey } from '../support/push/engine.ts'
import { acceptNotification, countsOf, expectedCounts } from '../support/push/notifications.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

const { engine, workers, close } = await startKillable()
after(close)

const FOR_EVER = 1_000_000
const BAD_TOKEN: ProviderFault = { kind: 'answer', status: 400, body: '{"reason":"BadDeviceToken"}' }

async function goneOf(brandId: number): Promise<number> {
  const { count } = await engine.database.query(
    `select from subscriptions where brand_id = $1 and state = 'gone'`,
    [brandId],
  )
  return count
}

/** Nothing of the brand is in the hands of a worker. */
async function isAtRest(brandId: number): Promise<boolean> {
  const { count } = await engine.database.query(
    'select from chunks where brand_id = $1 and leased_by is not null',
    [brandId],
  )
  return count === 0
}

/** More devices were blamed than may be retired. */
async function wereManyBlamed(brandId: number): Promise<boolean> {
  const { count } = await engine.database.query('select from deliveries where brand_id = $1', [brandId])
  return count > BRAKE_RULES.devicesMax
}

/** The messages that failed although they could have been tried again, as those to dead devices do. */
async function failedEarly(brandId: number): Promise<number> {
  const { count } = await engine.database.query(
    `select from deliveries where brand_id = $1 and state = 'failed' and attempt < $2`,
    [brandId, RETRY_RULES.attemptsMax],
  )
  return count
}

for (const count of [1, 3])
  test(`after 1000 good answers, a setting that blames every device costs fewer than ten of them: ${count} workers`, async () => {
    const { database, sandbox } = engine
    const { brandId } = await engine.brand()
    const ref = { brandId, platform: 'ios' } as const
    const devices = newDevices(engine, { platform: 'ios', count: 1_000 })
    await seedDevices(database, { ...ref, devices })
    const accept = async (perSecond: number | null) =>
      acceptNotification(database, { ...ref, target: { kind: 'all' }, perSecond })
    for (let worker = 0; worker < count; worker += 1) await workers.start()
    const good = await engine.untilOver({ brandId, id: await accept(null) })
    assert.deepEqual(countsOf(good), expectedCounts({ audience: 1_000, accepted: 1_000 }))

    sandbox.apns.faults.add(ANYONE, BAD_TOKEN, FOR_EVER)
    await accept(20)
    await engine.until(async () => ((await loadChannel(database, ref))?.pausedReason ?? null) !== null)
    await engine.until(async () => isAtRest(brandId))
    await workers.killAll()
    sandbox.apns.faults.clear()
    const gone = await goneOf(brandId)
    assert.ok(gone <= BRAKE_RULES.devicesMax, `${gone} of 1000 were retired`)
  })

for (const status of [404, 410])
  test(`a push service that answers ${status} to everybody costs fewer than ten browsers, and gets the rest again later`, async () => {
    const { database, sandbox } = engine
    const { brandId } = await engine.brand()
    const ref = { brandId, platform: 'web' } as const
    const vapidKey = await seedVapidKey(database, brandId)
    const devices = newDevices(engine, { platform: 'web', count: 50, vapidKey })
    await seedDevices(database, { ...ref, devices })
    await workers.start()
    await workers.start()
    sandbox.web.faults.add(ANYONE, { kind: 'answer', status }, FOR_EVER)
    const id = await acceptNotification(database, { ...ref, target: { kind: 'all' } })
    await engine.until(async () => wereManyBlamed(brandId))
    // Answers on their way end with the workers: a blame after the first accepted message would be paid from the budget that it gives back.
    await workers.killAll()
    sandbox.web.faults.clear()
    await workers.start()
    const found = countsOf(await engine.untilOver({ brandId, id }))
    await workers.killAll()
    const { failed } = found
    assert.deepEqual(found, expectedCounts({ audience: 50, accepted: 50 - failed, failed }))
    // The kill may have come between a settlement and the retirement that follows it. A message that was held back fails after its last try only.
    const [gone, early] = [await goneOf(brandId), await failedEarly(brandId)]
    assert.ok(gone <= early && early <= BRAKE_RULES.devicesMax, `${gone} of 50 retired, ${early} failed`)
  })
