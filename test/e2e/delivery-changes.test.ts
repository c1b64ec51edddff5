import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type NotificationRef,
  newDevices,
  setCredential,
  startEngine,
  type TestEngine,
} from '../support/push/engine.ts'
import { acceptNotification, countsOf, expectedCounts } from '../support/push/notifications.ts'
import { seedDevices, seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

/** What changes while a broadcast is under way. */
let engine: TestEngine
before(async () => {
  engine = await startEngine()
  engine.startWorker()
})
after(async () => engine.close())

/** A broadcast that has begun, so slowly that what a test changes comes in time, however busy the machine. */
async function begin(count: number) {
  const { database, sandbox } = engine
  const { brandId } = await engine.brand()
  const devices = newDevices(engine, { platform: 'ios', count })
  const ids = await seedDevices(database, { brandId, platform: 'ios', devices })
  sandbox.inbox.clear()
  const seed = { brandId, platform: 'ios', target: { kind: 'all' }, perSecond: 10 } as const
  const id = await acceptNotification(database, seed)
  await engine.until(() => sandbox.inbox.total > 5)
  return { brandId, id, ids, addresses: devices.map(({ address }) => address) }
}

/** Lets the rest of it go quickly. */
async function end({ brandId, id }: NotificationRef) {
  const { database } = engine
  await database.query('update notifications set per_second = 1000 where brand_id = $1 and id = $2', [
    brandId,
    id,
  ])
  await database.query(
    'update chunks set ready_at = clock_timestamp() where brand_id = $1 and leased_by is null',
    [brandId],
  )
  return engine.untilOver({ brandId, id })
}

test('who unsubscribes while a broadcast is under way and is not yet reached gets nothing', async () => {
  const { database, sandbox } = engine
  const { brandId, id, ids, addresses } = await begin(600)
  await database.query(`update subscriptions set state = 'unsubscribed' where id = any($1)`, [ids.slice(-50)])
  const found = await end({ brandId, id })
  assert.deepEqual(countsOf(found), expectedCounts({ audience: 550, accepted: 550 }))
  const reached = new Set(sandbox.inbox.newest().map(({ address }) => address))
  assert.ok(addresses.slice(-50).every((address) => !reached.has(address)))
})

test('a credential that is replaced in the middle of a broadcast is used for the rest of it', async () => {
  const { database, sandbox } = engine
  const { brandId, id } = await begin(900)
  const { bundleId } = engine.access.apns.credential
  const own = { ...sandbox.apns.newCredential('com.example.other'), environment: 'production' }
  await setCredential(database, { brandId, platform: 'ios' }, own)
  const found = await end({ brandId, id })
  assert.deepEqual(countsOf(found), expectedCounts({ audience: 900, accepted: 900 }))
  const topics = sandbox.inbox.newest().map(({ headers }) => headers['apns-topic'])
  assert.deepEqual(new Set(topics), new Set([bundleId, 'com.example.other']))
  assert.equal(topics.at(-1), 'com.example.other')
})

test('a device that registers a new token while its chunk is in flight is reached once', async () => {
  const { database, sandbox } = engine
  const { brandId, id, ids } = await begin(600)
  const moved = sandbox.apns.newToken()
  await database.query(
    `update subscriptions set address = $2::text, address_hash = sha256(convert_to($2::text, 'UTF8')), registered_at = now() where id = $1`,
    [ids.at(-1), moved],
  )
  const found = await end({ brandId, id })
  assert.deepEqual(countsOf(found), expectedCounts({ audience: 600, accepted: 600 }))
  assert.equal(sandbox.inbox.newest().filter(({ address }) => address === moved).length, 1)
})

test('what is for one person is not shown on a device that another person uses by now', async (t) => {
  const idle = await startEngine()
  t.after(async () => idle.close())
  const { database, sandbox } = idle
  const { brandId } = await idle.brand()
  const ids = await seedSubscriptions(database, { brandId, platform: 'ios', userId: 'ada', count: 2 })
  await seedSubscriptions(database, { brandId, userId: 'bea' })
  const addresses = newDevices(idle, { platform: 'ios', count: 2 }).map(({ address }) => address)
  await database.query(
    `update subscriptions as s set address = given.address from unnest($1::bigint[], $2::text[]) as given (id, address)
     where s.id = given.id`,
    [ids, addresses],
  )
  const id = await acceptNotification(database, {
    brandId,
    platform: 'ios',
    target: { kind: 'user', userId: 'ada' },
  })
  await database.query(
    `update subscriptions set profile_id = (select profile_id from profile_identities where value = 'bea') where id = $1`,
    [ids[1]],
  )
  idle.startWorker()
  const found = await idle.untilOver({ brandId, id })
  assert.deepEqual(countsOf(found), expectedCounts({ audience: 2, accepted: 1, failed: 1 }))
  assert.deepEqual(
    sandbox.inbox.newest().map(({ address }) => address),
    addresses.slice(0, 1),
  )
  const { rows } = await database.query(
    `select reason from deliveries where state = 'failed' and brand_id = $1`,
    [brandId],
  )
  assert.deepEqual(rows, [{ reason: 'moved' }])
})
