import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ANYONE } from '../../src/sandbox/faults.ts'
import { loadChannel } from '../../src/store/push/channels.ts'
import { listDeliveries } from '../../src/store/push/notification-reads.ts'
import { newDevices, setCredential, startEngine, type TestEngine } from '../support/push/engine.ts'
import { acceptNotification, countsOf, expectedCounts, report } from '../support/push/notifications.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

let engine: TestEngine
before(async () => {
  engine = await startEngine()
  engine.startWorker()
})
after(async () => engine.close())

async function broadcast(count: number) {
  const { database } = engine
  const { brandId } = await engine.brand()
  const devices = newDevices(engine, { platform: 'ios', count })
  const ids = await seedDevices(database, { brandId, platform: 'ios', devices })
  const addresses = devices.map(({ address }) => address)
  const accept = async () =>
    acceptNotification(database, { brandId, platform: 'ios', target: { kind: 'all' } })
  return { brandId, ids, addresses, accept }
}

async function statesOf(brandId: number): Promise<readonly string[]> {
  const { rows } = await engine.database.query<{ state: string }>(
    'select state from subscriptions where brand_id = $1 order by id',
    [brandId],
  )
  return rows.map(({ state }) => state)
}

test('a dead device is retired by one answer, but not one that registered after its death', async () => {
  const { sandbox } = engine
  const { brandId, addresses, accept } = await broadcast(3)
  const [dead = '', revived = ''] = addresses
  sandbox.apns.setDevice(dead, { kind: 'unregistered', since: Date.now() + 60_000 })
  sandbox.apns.setDevice(revived, { kind: 'unregistered', since: Date.now() - 60_000 })
  const found = await engine.untilOver({ brandId, id: await accept() })
  assert.deepEqual(countsOf(found), expectedCounts({ audience: 3, accepted: 1, failed: 2 }))
  await engine.until(async () => (await statesOf(brandId)).includes('gone'))
  assert.deepEqual(await statesOf(brandId), ['gone', 'live', 'live'])
})

test('what is busy is tried again, no sooner than it asked, and arrives once', async () => {
  const { database, sandbox } = engine
  const { brandId, addresses, accept, ids } = await broadcast(3)
  const [busy = ''] = addresses
  const headers = { 'retry-after': '1' }
  const body = JSON.stringify({ reason: 'TooManyRequests' })
  sandbox.apns.faults.add(busy, { kind: 'answer', status: 429, headers, body })
  sandbox.inbox.clear()
  const startedAt = Date.now()
  const id = await accept()
  const found = await engine.untilOver({ brandId, id })
  assert.deepEqual(countsOf(found), expectedCounts({ audience: 3, accepted: 3 }))
  const arrivals = sandbox.inbox.newest()
  assert.equal(arrivals.length, 3)
  const late = arrivals.find(({ address }) => address === busy)
  assert.ok(late !== undefined && late.arrivedAt - startedAt >= 1_000)
  const rows = await listDeliveries(database, { brandId, id, state: null, afterId: 0n, limit: 10 })
  assert.deepEqual(
    rows.map(({ id: of, attempt }) => [of, attempt]),
    [
      [ids[0], 2],
      [ids[1], 1],
      [ids[2], 1],
    ],
  )
})

test('a message that was taken but not answered is repeated under the same identity', async () => {
  const { sandbox } = engine
  const { brandId, addresses, accept } = await broadcast(1)
  sandbox.inbox.clear()
  sandbox.apns.faults.add(addresses[0] ?? '', { kind: 'accept_then_drop' })
  const found = await engine.untilOver({ brandId, id: await accept() })
  assert.deepEqual(countsOf(found), expectedCounts({ audience: 1, accepted: 1 }))
  const arrivals = sandbox.inbox.newest()
  assert.equal(arrivals.length, 2)
  assert.equal(new Set(arrivals.map(({ collapseId }) => collapseId)).size, 1)
})

test('a refused credential pauses the channel without spending an attempt, and a new one goes on at once', async () => {
  const { database, access } = engine
  const { brandId, accept } = await broadcast(5)
  const ref = { brandId, platform: 'ios' } as const
  const stranger = { ...access.apns.credential, keyId: 'NOBODY0001' }
  await setCredential(database, ref, stranger)
  const id = await accept()
  await engine.until(async () => (await loadChannel(database, ref))?.pausedReason === 'InvalidProviderToken')
  const paused = await report(database, { brandId, id })
  assert.deepEqual(countsOf(paused), expectedCounts({ audience: 5, pending: 5 }))

  await setCredential(database, ref, access.apns.credential)
  const found = await engine.untilOver({ brandId, id })
  assert.deepEqual(countsOf(found), expectedCounts({ audience: 5, accepted: 5 }))
  const rows = await listDeliveries(database, { brandId, id, state: null, afterId: 0n, limit: 10 })
  assert.ok(rows.every(({ attempt }) => attempt === 1))
})

test('the brake: a wrong setting that blames every device retires none of them and pauses the channel', async () => {
  const { database, sandbox } = engine
  const { brandId, addresses, accept } = await broadcast(60)
  for (const address of addresses) sandbox.apns.setDevice(address, { kind: 'unknown' })
  const id = await accept()
  const ref = { brandId, platform: 'ios' } as const
  await engine.until(
    async () => (await loadChannel(database, ref))?.pausedReason === 'too_many_bad_addresses',
  )
  await engine.until(async () => (await leasedChunks(brandId)) === 0)
  assert.deepEqual(new Set(await statesOf(brandId)), new Set(['live']))
  assert.deepEqual(
    countsOf(await report(database, { brandId, id })),
    expectedCounts({ audience: 60, pending: 60 }),
  )
})

test('a person who unsubscribes, or a device that is gone, before its turn gets nothing', async () => {
  const { database, sandbox } = engine
  const { brandId, ids, addresses, accept } = await broadcast(2)
  sandbox.inbox.clear()
  await database.query(`update subscriptions set state = 'unsubscribed' where id = $1`, [ids[0]])
  const found = await engine.untilOver({ brandId, id: await accept() })
  assert.deepEqual(countsOf(found), expectedCounts({ audience: 1, accepted: 1 }))
  assert.deepEqual(
    sandbox.inbox.newest().map(({ address }) => address),
    [addresses[1]],
  )
})

test('a provider that is down is left in peace, and what waits is delivered when it is back', async () => {
  const { sandbox } = engine
  const { brandId, accept } = await broadcast(80)
  sandbox.apns.faults.add(
    ANYONE,
    { kind: 'answer', status: 503, body: '{"reason":"ServiceUnavailable"}' },
    60,
  )
  const found = await engine.untilOver({ brandId, id: await accept() })
  sandbox.apns.faults.clear()
  assert.deepEqual(countsOf(found), expectedCounts({ audience: 80, accepted: 80 }))
})

test('a channel that cannot send at all fails the notification', async () => {
  const { database } = engine
  const { brandId } = await engine.brand()
  const devices = newDevices(engine, { platform: 'web', count: 2 })
  await seedDevices(database, { brandId, platform: 'web', devices })
  const id = await acceptNotification(database, { brandId, platform: 'web', target: { kind: 'all' } })
  const found = await engine.untilOver({ brandId, id })
  assert.deepEqual([found.state, found.reason], ['failed', 'no_credentials'])
  assert.deepEqual(countsOf(found), expectedCounts({ audience: 2, failed: 2 }))
})

async function leasedChunks(brandId: number): Promise<number> {
  const { count } = await engine.database.query(
    'select from chunks where brand_id = $1 and leased_by is not null',
    [brandId],
  )
  return count
}
