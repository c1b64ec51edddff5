import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { Platform } from '../../src/rules/platforms.ts'
import { endWith } from '../support/processes/beckon.ts'
import { type BadDay, startBadProvider } from '../support/push/bad-provider.ts'
import { type NotificationRef, newDevices, startEngine, type TestEngine } from '../support/push/engine.ts'
import { acceptNotification, countsOf, expectedCounts } from '../support/push/notifications.ts'
import { seedDevices, seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

/** No request is given up while a test runs: the others must go on without that. */
const NEVER = { answerMs: 3_600_000, waitMs: 3_600_000 }

/** The messages that a provider gets before its first answer, in two lanes. */
const PROBES = 64

/** Workers whose Apple behaves badly, while every other provider answers. */
async function badApple(context: TestContext, day: BadDay) {
  const apple = await startBadProvider(day)
  const engine = await startEngine({ apns: apple, poolLimits: NEVER })
  endWith(context, async () => {
    await apple.close()
    await engine.close()
  })
  const { database } = engine
  engine.startWorker()
  const devices = async (platform: Platform, brandId: number, count: number) =>
    seedDevices(database, { brandId, platform, devices: newDevices(engine, { platform, count }) })
  const broadcast = async (platform: Platform, brandId: number) => {
    const id = await acceptNotification(database, { brandId, platform, target: { kind: 'all' } })
    return { brandId, id }
  }
  const singles = async (platform: Platform, brandId: number, count: number) => {
    const userId = randomUUID()
    const [own] = await seedSubscriptions(database, { brandId, platform, userId })
    const [device] = newDevices(engine, { platform, count: 1 })
    await database.query(
      'update subscriptions set address = $3::text, address_hash = sha256($3::text::bytea) where brand_id = $1 and id = $2',
      [brandId, own, device?.address],
    )
    const made: NotificationRef[] = []
    for (let done = 0; done < count; done += 1) {
      const id = await acceptNotification(database, { brandId, platform, target: { kind: 'user', userId } })
      made.push({ brandId, id })
    }
    return made
  }
  return { apple, engine, devices, broadcast, singles }
}

/** How many of a brand's deliveries on the platform have an outcome or a retry. */
async function outcomes({ database }: TestEngine, brandId: number, platform: Platform): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::integer from all_deliveries as d join notifications as n on n.brand_id = d.brand_id
       and n.id = d.notification_id where n.brand_id = $1 and platform = $2`,
    [brandId, platform],
  )
  return rows[0]?.count ?? 0
}

test('a broadcast to a silent Apple holds up neither the Android devices of the brand nor other brands', async (context) => {
  const { apple, engine, devices, broadcast, singles } = await badApple(context, 'hang')
  const [brand, other] = [await engine.brand(), await engine.brand()]
  await devices('ios', brand.brandId, 5_000)
  await devices('android', brand.brandId, 1_000)
  const ios = await broadcast('ios', brand.brandId)
  await engine.until(() => apple.open > 0)

  const android = await engine.untilOver(await broadcast('android', brand.brandId))
  assert.deepEqual(countsOf(android), expectedCounts({ audience: 1_000, accepted: 1_000 }))
  for (const { brandId } of [brand, other]) {
    for (const one of await singles('android', brandId, 20)) {
      assert.equal((await engine.untilOver(one)).accepted, 1)
    }
  }
  assert.ok(apple.open > 0 && apple.open <= PROBES)
  assert.equal(await outcomes(engine, brand.brandId, 'ios'), 0)

  apple.set('answer')
  apple.release()
  assert.equal((await engine.untilOver(ios)).accepted, 5_000)
})

test('480 singles to a silent Apple hold up neither the Android devices of the brand nor other brands', async (context) => {
  const { apple, engine, singles } = await badApple(context, 'hang')
  const [brand, other] = [await engine.brand(), await engine.brand()]
  const ios = await singles('ios', brand.brandId, 480)
  await engine.until(() => apple.open > 0)
  for (const { brandId } of [brand, other]) {
    for (const one of await singles('android', brandId, 50)) {
      assert.equal((await engine.untilOver(one)).accepted, 1)
    }
  }
  assert.ok(apple.open > 0 && apple.open <= PROBES)
  assert.equal(await outcomes(engine, brand.brandId, 'ios'), 0)

  apple.set('answer')
  apple.release()
  for (const one of ios) assert.equal((await engine.untilOver(one)).accepted, 1)
})

for (const day of ['drip', 'reset'] as const) {
  test(`an Apple with a bad day (${day}) holds up neither the Android devices of the brand nor other brands`, async (context) => {
    const { apple, engine, devices, broadcast, singles } = await badApple(context, day)
    const [brand, other] = [await engine.brand(), await engine.brand()]
    await devices('ios', brand.brandId, 2_000)
    await devices('android', brand.brandId, 1_000)
    const ios = await broadcast('ios', brand.brandId)
    await engine.until(() => apple.taken > 0)
    const android = await engine.untilOver(await broadcast('android', brand.brandId))
    assert.equal(android.accepted, 1_000)
    for (const one of await singles('android', other.brandId, 20)) {
      assert.equal((await engine.untilOver(one)).accepted, 1)
    }
    apple.set('answer')
    assert.equal((await engine.untilOver(ios)).accepted, 2_000)
  })
}
