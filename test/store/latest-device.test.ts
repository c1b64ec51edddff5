import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { planBroadcast } from '../../src/delivery/planner.ts'
import type { StoredTrial } from '../../src/domain/campaigns/trial.ts'
import type { Timing } from '../../src/domain/push/schedule.ts'
import { Database, type Db, type Rows, type Statement } from '../../src/store/db.ts'
import { claimPlans } from '../../src/store/push/planning.ts'
import { LATEST_DEVICE } from '../support/campaigns/latest-device.ts'
import { freshDatabase, PATIENT } from '../support/database/database.ts'
import { type Drained, drain, planDue } from '../support/push/drain.ts'
import { acceptNotification, countsOf, expectedCounts, report } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop, url } = await freshDatabase()
after(drop)

const HOUR_MS = 3_600_000
const PLATFORMS = ['android', 'ios'] as const

type Campaign = { readonly timing?: Timing; readonly trial?: StoredTrial }

/** The notifications of a campaign that reaches the device which a person registered last. */
async function launch(
  brandId: number,
  { timing = { kind: 'now' }, trial }: Campaign = {},
): Promise<readonly string[]> {
  const ids: string[] = []
  for (const platform of PLATFORMS)
    ids.push(await acceptNotification(database, { brandId, platform, timing, target: LATEST_DEVICE }))
  await database.query(
    'update notifications set campaign_id = 1, trial = $3 where brand_id = $1 and id = any($2)',
    [brandId, ids, trial === undefined ? null : JSON.stringify(trial)],
  )
  return ids
}

/** A person with an old device and one that registered later, on the other platform. */
async function person(brandId: number, userId: string, zones: Zones = {}) {
  const old = await device({ brandId, userId, platform: 'android', ...zoneOf(zones.old) })
  const latest = await device({ brandId, userId, platform: 'ios', ...zoneOf(zones.latest) })
  await database.query(
    `update subscriptions set registered_at = now() - interval '1 day' where brand_id = $1 and id = $2`,
    [brandId, old],
  )
  return { old, latest }
}

type Zones = { readonly old?: string; readonly latest?: string }

function zoneOf(timeZone: string | undefined): { readonly timeZone?: string } {
  return timeZone === undefined ? {} : { timeZone }
}

async function device(seed: Parameters<typeof seedSubscriptions>[1]): Promise<bigint> {
  const [id] = await seedSubscriptions(database, seed)
  assert.ok(id !== undefined)
  return id
}

/** The change that a registration makes to the row of a device that is known already. */
async function registerAgain(brandId: number, id: bigint): Promise<void> {
  await database.query(
    `update subscriptions set registered_at = clock_timestamp() + interval '1 minute' where brand_id = $1 and id = $2`,
    [brandId, id],
  )
}

function idsOf(drained: readonly Drained[]): readonly bigint[] {
  return drained.map(({ recipient }) => recipient.id)
}

test('a device that registers between the plan and the send changes nothing', async () => {
  const { brandId } = await brand()
  const ann = await person(brandId, 'ann')
  const bob = await person(brandId, 'bob')
  const [android, ios] = await launch(brandId)
  await planDue(database)
  await registerAgain(brandId, ann.old)
  await device({ brandId, userId: 'bob', platform: 'android' })
  await device({ brandId, userId: 'cid', platform: 'ios' })
  assert.deepEqual(idsOf(await drain(database)), [ann.latest, bob.latest])
  const counts = async (id = '') => countsOf(await report(database, { brandId, id }))
  assert.deepEqual(await counts(android), expectedCounts({}))
  assert.deepEqual(await counts(ios), expectedCounts({ audience: 2, accepted: 2 }))
})

test('the devices of all platforms are chosen at one moment', async () => {
  const { brandId } = await brand()
  const ann = await person(brandId, 'ann')
  const bob = await person(brandId, 'bob')
  await registerAgain(brandId, bob.old)
  await launch(brandId)
  const claims = await claimPlans(database, { count: 10, leaseMs: 60_000, now: Date.now() + 1_000 })
  assert.equal(claims.length, 2)
  for (const claim of claims) {
    await planBroadcast(database, claim)
    await registerAgain(brandId, ann.old)
    await registerAgain(brandId, bob.latest)
  }
  assert.deepEqual(new Set(idsOf(await drain(database))), new Set([ann.latest, bob.old]))
})

test('a message that is tried again stays with its device', async () => {
  const { brandId } = await brand()
  const ann = await person(brandId, 'ann')
  await launch(brandId)
  const retryAt = Date.now() + 60_000
  await drain(database, { judge: () => ({ state: 'retrying', retryAt }) })
  await registerAgain(brandId, ann.old)
  assert.deepEqual(idsOf(await drain(database, { now: retryAt + 1_000 })), [ann.latest])
})

test('by the clock of each subscriber, a person gets it once, on the device of the first plan', async () => {
  const { brandId } = await brand()
  const ann = await person(brandId, 'ann', { old: 'America/New_York', latest: 'Asia/Tokyo' })
  const bob = await person(brandId, 'bob', { old: 'Asia/Tokyo', latest: 'America/New_York' })
  const now = Date.now()
  const day = new Date(now + 48 * HOUR_MS).toISOString().slice(0, 10)
  const timing = { kind: 'subscriber', wall: `${day}T09:00` } as const
  const ids = await launch(brandId, { timing })
  const sent: bigint[] = []
  const begin = Date.parse(`${day}T00:00:00Z`)
  for (const hours of [-5, 0.5, 14.5]) {
    sent.push(...idsOf(await drain(database, { now: begin + hours * HOUR_MS })))
    if (hours === 0.5) assert.deepEqual(sent, [ann.latest], 'it is nine in Tokyo')
    await registerAgain(brandId, ann.old)
    await registerAgain(brandId, bob.old)
  }
  assert.deepEqual(sent, [ann.latest, bob.latest])
  await planDue(database, begin + 40 * HOUR_MS)
  for (const id of ids) assert.equal((await report(database, { brandId, id })).state, 'sent')
})

test('hours that were skipped are not planned any more, the last of them included', async () => {
  const { brandId } = await brand()
  const ann = await device({ brandId, userId: 'ann', platform: 'ios', timeZone: 'Asia/Tokyo' })
  const bob = await device({ brandId, userId: 'bob', platform: 'ios', timeZone: 'Europe/London' })
  const day = new Date(Date.now() + 48 * HOUR_MS).toISOString().slice(0, 10)
  const nineInTokyo = Date.parse(`${day}T00:00:00Z`)
  const skip = async (until: number) => {
    const ids = await launch(brandId, { timing: { kind: 'subscriber', wall: `${day}T09:00` } })
    await database.query('update notifications set zones_until = $3 where brand_id = $1 and id = any($2)', [
      brandId,
      ids,
      new Date(until),
    ])
    const sent: bigint[] = []
    for (const hours of [-20, 0.5, 9.5])
      sent.push(...idsOf(await drain(database, { now: nineInTokyo + hours * HOUR_MS })))
    return sent
  }
  assert.deepEqual(await skip(nineInTokyo - 1), [ann, bob])
  assert.deepEqual(await skip(nineInTokyo), [bob])
})

/** A database whose audiences take as long to be read as a claim may stay without a renewal. */
class SlowDatabase extends Database {
  now = 0
  renewals = 0
  /** Another worker takes the claim just before it is renewed. */
  losesClaim = false

  override async asEngine<Value>(work: (tx: Db) => Promise<Value>): Promise<Value> {
    this.now += 20_000
    return super.asEngine(work)
  }

  override async query<Row extends object>(
    statement: Statement,
    values: readonly unknown[] = [],
  ): Promise<Rows<Row>> {
    if (typeof statement === 'string' && statement.includes('set plan_at')) {
      this.renewals += 1
      if (this.losesClaim)
        await super.query(`update notifications set plan_at = plan_at + interval '1 second'`)
    }
    return super.query(statement, values)
  }
}

for (const losesClaim of [false, true]) {
  const end = losesClaim ? 'lost meanwhile, and plans nothing' : 'renewed in time, and is planned'
  test(`the claim of a plan whose audience takes long to read is ${end}`, async (context) => {
    const slow = new SlowDatabase({ ...PATIENT, url, connectionsMax: 2, name: 'beckon slow' })
    context.after(async () => slow.close())
    const { brandId } = await brand()
    const ann = await person(brandId, 'ann')
    await launch(brandId)
    const claims = await claimPlans(database, { count: 10, leaseMs: 60_000, now: Date.now() + 1_000 })
    const claim = claims.find((one) => one.brandId === brandId)
    assert.ok(claim !== undefined)
    slow.losesClaim = losesClaim
    context.mock.method(performance, 'now', () => slow.now)
    await planBroadcast(slow, claim)
    context.mock.restoreAll()
    assert.equal(slow.renewals, 1)
    assert.deepEqual(idsOf(await drain(database)), losesClaim ? [] : [ann.latest])
  })
}

test('a plan that another worker has claimed by now is left to that worker', async () => {
  const { brandId } = await brand()
  await person(brandId, 'ann')
  await launch(brandId)
  const now = Date.now() + 1_000
  const claim = async (at: number) =>
    (await claimPlans(database, { count: 10, leaseMs: 60_000, now: at })).find(
      (one) => one.brandId === brandId,
    )
  const [lost, held] = [await claim(now), await claim(now + 60_000)]
  assert.ok(lost !== undefined && held !== undefined)
  const countChunks = async () => {
    const { rows } = await database.query<{ count: number }>(
      'select count(*)::integer from chunks where brand_id = $1',
      [brandId],
    )
    return rows[0]?.count
  }
  await planBroadcast(database, { ...held, leasedUntil: lost.leasedUntil })
  assert.equal(await countChunks(), 0)
  await planBroadcast(database, held)
  assert.equal((await drain(database)).length, 1)
})

test('a device that another person of the audience uses now brings that person no second message', async () => {
  const { brandId } = await brand()
  const ann = await person(brandId, 'ann')
  const bob = await person(brandId, 'bob')
  await launch(brandId)
  await planDue(database)
  await database.query(
    `update subscriptions set profile_id = (select profile_id from subscriptions where brand_id = $1 and id = $3)
     where brand_id = $1 and id = $2`,
    [brandId, ann.latest, bob.latest],
  )
  const drained = await drain(database)
  assert.deepEqual(new Set(drained.map(({ recipient }) => recipient.person)).size, drained.length)
  assert.equal(drained.length, 1)
})

test('a person who got it in a large broadcast, as a bit, gets no second message on a device that they use since', async () => {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, platform: 'ios', count: 110 })
  const got = await device({ brandId, userId: 'ann', platform: 'ios' })
  const moved = await device({ brandId, userId: 'bob', platform: 'android' })
  await launch(brandId)
  await planDue(database)
  const readyIn = async (time: string): Promise<unknown> =>
    database.query(
      `update chunks set ready_at = now() + $2::interval where brand_id = $1 and platform = 'android'`,
      [brandId, time],
    )
  await readyIn('1 day')
  assert.equal(idsOf(await drain(database)).length, 111)
  const { rows } = await database.query(
    `select (select count(*)::integer from deliveries where brand_id = $1) as rows, sum(bit_count(bits))::integer as bits
     from accepted_blocks where brand_id = $1`,
    [brandId],
  )
  assert.deepEqual(rows, [{ rows: 0, bits: 111 }])
  await database.query(
    `update subscriptions set profile_id = (select profile_id from subscriptions where brand_id = $1 and id = $3)
     where brand_id = $1 and id = $2`,
    [brandId, moved, got],
  )
  await readyIn('0')
  assert.deepEqual(idsOf(await drain(database)), [])
})
