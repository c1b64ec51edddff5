import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { cancelNotification, lockNotification } from '../../src/store/push/cancel.ts'
import { type ChunkClaim, claimChunks, releaseChunks, renewChunks } from '../../src/store/push/chunks.ts'
import { endChunks } from '../../src/store/push/end-chunks.ts'
import { freshDatabase } from '../support/database/database.ts'
import { claimOne, drain, open, planDue, settle } from '../support/push/drain.ts'
import { acceptNotification, countsOf, expectedCounts, report } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

async function only<Value>(values: Promise<Value | null>): Promise<Value> {
  const value = await values
  assert.ok(value !== null)
  return value
}

async function cancel(brandId: number, id: string): Promise<void> {
  await database.asBrand(brandId, async (tx) => {
    await lockNotification(tx, { brandId, id })
    await cancelNotification(tx, { brandId, id })
  })
}

async function userOf(userId: string, devices: number) {
  const { brandId } = await brand()
  const ids = await seedSubscriptions(database, { brandId, userId, count: devices })
  return { brandId, ids, target: { kind: 'user', userId } } as const
}

test('a send has its chunk at once, and is sent when every device has an outcome', async () => {
  const { brandId, ids, target } = await userOf('ann', 3)
  const id = await acceptNotification(database, { brandId, target })
  assert.deepEqual(
    countsOf(await report(database, { brandId, id })),
    expectedCounts({ audience: 3, pending: 3 }),
  )
  const drained = await drain(database, {
    judge: ({ id: recipient }) => (recipient === ids[1] ? { state: 'failed', reason: 'bad' } : {}),
  })
  assert.deepEqual(
    drained.map(({ recipient }) => recipient.id),
    ids,
  )
  const found = await report(database, { brandId, id })
  assert.equal(found.state, 'sent')
  assert.deepEqual(countsOf(found), expectedCounts({ audience: 3, accepted: 2, failed: 1 }))
  assert.ok(found.finishedAt !== null)
})

test('a claim writes no index entry', async () => {
  const { brandId, target } = await userOf('ann', 1)
  for (let made = 0; made < 100; made += 1) await acceptNotification(database, { brandId, target })
  const written = await database.asEngine(async (tx) => {
    const claim = { workerId: 'w', count: 1_000, leaseMs: 60_000, sizes: 'any' } as const
    const chunks = (await claimChunks(tx, claim)).filter((chunk) => chunk.brandId === brandId)
    const { rows } = await tx.query(
      `select pg_stat_get_xact_tuples_updated('chunks'::regclass)
         - pg_stat_get_xact_tuples_hot_updated('chunks'::regclass) as entries`,
    )
    assert.equal(chunks.length, 100)
    await releaseChunks(tx, chunks)
    return rows
  })
  await drain(database)
  assert.deepEqual(written, [{ entries: 0n }])
})

test('two workers never hold the same chunk, and a lease that ran out frees it', async () => {
  const { brandId, target } = await userOf('bob', 1)
  await acceptNotification(database, { brandId, target })
  const now = Date.now() + 1_000
  const claim = { count: 5, leaseMs: 10_000, sizes: 'any', now } as const
  const claims = await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (workerId) => claimChunks(database, { ...claim, workerId })),
  )
  const [first, ...others] = claims.flat()
  assert.ok(first !== undefined)
  assert.equal(others.length, 0)
  const later = { ...claim, workerId: 'e', now: now + 10_000 }
  const [again] = await claimChunks(database, later)
  assert.equal(again?.id, first.id)
  assert.equal(await settle(database, first, []), 'lost')
  assert.equal(await open(database, first), null)
  assert.deepEqual(await renewChunks(database, [first], { leaseMs: 10_000 }), [])
  assert.ok(again !== undefined)
  assert.deepEqual(await renewChunks(database, [again], { leaseMs: 10_000 }), [again.id])
  await releaseChunks(database, [again])
  const late = await renewChunks(database, [again], { leaseMs: 10_000 })
  assert.deepEqual(late, [], 'a chunk that was given back is nobody’s')
  assert.equal((await drain(database)).length, 1)
})

test('a worker that dies between two settles repeats only what it had not settled', async () => {
  const { brandId, ids, target } = await userOf('cid', 4)
  const id = await acceptNotification(database, { brandId, target })
  const chunk = await only(claimOne(database))
  await open(database, chunk)
  const retryAt = Date.now() + 60_000
  const [done, retried] = ids
  assert.ok(done !== undefined && retried !== undefined)
  await settle(database, chunk, [
    { recipientId: done },
    { recipientId: retried, state: 'retrying', reason: 'busy', retryAt },
  ])
  assert.deepEqual(
    countsOf(await report(database, { brandId, id })),
    expectedCounts({ audience: 4, accepted: 1, pending: 3 }),
  )
  await releaseChunks(database, [chunk])
  const drained = await drain(database)
  assert.deepEqual(
    drained.map(({ recipient }) => recipient.id),
    ids.slice(2),
  )
  assert.deepEqual(
    countsOf(await report(database, { brandId, id })),
    expectedCounts({ audience: 4, accepted: 3, pending: 1 }),
  )
  const late = await drain(database, { now: retryAt })
  assert.deepEqual(
    late.map(({ recipient, chunk: { attempt } }) => [recipient.id, attempt]),
    [[retried, 2]],
  )
  assert.equal((await report(database, { brandId, id })).state, 'sent')
})

test('a cancel mid-send ends what nobody holds, and the rest when its worker hears of it', async () => {
  const { brandId } = await brand()
  const ids = await seedSubscriptions(database, { brandId, count: 25 })
  const id = await acceptNotification(database, { brandId, target: { kind: 'all' }, perSecond: 2 })
  await planDue(database)
  const chunk = await only(claimOne(database))
  assert.equal((await open(database, chunk))?.recipients.length, 10)
  const retryAt = Date.now() + 60_000
  const some = ids.slice(0, 4).map((recipientId) => ({ recipientId }))
  assert.equal(
    await settle(database, chunk, [
      ...some.slice(1),
      { ...some[0], recipientId: ids[0] ?? 0n, state: 'retrying', retryAt },
    ]),
    'claimed',
  )
  await cancel(brandId, id)
  const cancelled = await report(database, { brandId, id })
  assert.equal(cancelled.state, 'cancelled')
  assert.deepEqual(
    countsOf(cancelled),
    expectedCounts({ audience: 25, accepted: 3, cancelled: 16, pending: 6 }),
  )
  assert.equal(cancelled.finishedAt, null)

  assert.equal(await settle(database, chunk, [{ recipientId: ids[4] ?? 0n }]), 'cancelled')
  const end = { state: 'cancelled', reason: 'cancelled' } as const
  assert.deepEqual(await endChunks(database, [{ chunk, end }]), [true])
  const over = await report(database, { brandId, id })
  assert.deepEqual(countsOf(over), expectedCounts({ audience: 25, accepted: 4, cancelled: 21 }))
  assert.equal(over.state, 'cancelled')
  assert.ok(over.finishedAt !== null)
  assert.deepEqual(await drain(database, { now: retryAt }), [])
})

test('a cancel during a settle waits for neither and loses nothing', async () => {
  const { brandId, ids, target } = await userOf('dan', 40)
  const id = await acceptNotification(database, { brandId, target })
  const chunk = await only(claimOne(database))
  await open(database, chunk)
  const settles = ids.map(async (recipientId) => settle(database, chunk, [{ recipientId }]))
  const [answers] = await Promise.all([Promise.all(settles), cancel(brandId, id)])
  assert.ok(answers.every((answer) => answer !== 'lost'))
  const found = await report(database, { brandId, id })
  assert.deepEqual([found.accepted, found.pending], [40, 0])
  assert.ok(found.finishedAt !== null)
})

test('who unsubscribed before their turn leaves the audience of a broadcast; who was named gets an outcome', async () => {
  const { brandId } = await brand()
  const [first] = await seedSubscriptions(database, { brandId, count: 3, userId: 'eve' })
  const broadcast = await acceptNotification(database, { brandId, target: { kind: 'all' } })
  const named = await acceptNotification(database, { brandId, target: { kind: 'user', userId: 'eve' } })
  await planDue(database)
  assert.deepEqual(
    countsOf(await report(database, { brandId, id: broadcast })),
    expectedCounts({ audience: 3, pending: 3 }),
  )
  await database.query(`update subscriptions set state = 'unsubscribed' where brand_id = $1 and id = $2`, [
    brandId,
    first,
  ])
  await drain(database, {
    judge: ({ absence }) => (absence === null ? {} : { state: 'failed', reason: absence }),
  })
  assert.deepEqual(
    countsOf(await report(database, { brandId, id: broadcast })),
    expectedCounts({ audience: 2, accepted: 2 }),
  )
  assert.deepEqual(
    countsOf(await report(database, { brandId, id: named })),
    expectedCounts({ audience: 3, accepted: 2, failed: 1 }),
  )
})

test('small work goes first, and brands take turns in the large', async () => {
  const [whale, other, single] = [await brand(), await brand(), await brand()]
  for (const { brandId } of [whale, other]) {
    await seedSubscriptions(database, { brandId, count: 500 })
    await acceptNotification(database, { brandId, target: { kind: 'all' }, perSecond: 2 })
  }
  await planDue(database)
  await seedSubscriptions(database, { brandId: single.brandId, userId: 'fay' })
  const now = Date.now() + 1_000
  await acceptNotification(database, {
    brandId: single.brandId,
    target: { kind: 'user', userId: 'fay' },
    now,
  })
  const claim = { workerId: 'w', count: 1, leaseMs: 60_000, sizes: 'any', now: now + 100_000 } as const
  const [small] = await claimChunks(database, claim)
  assert.equal(small?.brandId, single.brandId)
  assert.deepEqual(await claimChunks(database, { ...claim, sizes: 'small' }), [])
  const brands = new Map<number, number>()
  for (let turn = 0; turn < 10; turn += 1) {
    const [chunk] = await claimChunks(database, claim)
    assert.ok(chunk !== undefined)
    brands.set(chunk.brandId, (brands.get(chunk.brandId) ?? 0) + 1)
  }
  assert.deepEqual([...brands.values()], [5, 5])

  const target = { kind: 'user', userId: 'fay' } as const
  await acceptNotification(database, { brandId: single.brandId, target, now })
  const large = await claimChunks(database, { ...claim, count: 100, sizes: 'bulk' })
  assert.ok(large.length > 0 && large.every(({ isBulk }) => isBulk))
  const [another] = await claimChunks(database, { ...claim, sizes: 'small' })
  assert.equal(another?.brandId, single.brandId)
})

test('a notification that expired before anybody took it has failed, and says so', async () => {
  const { brandId, target } = await userOf('gus', 2)
  const id = await acceptNotification(database, { brandId, target })
  await planDue(database, Date.now() + 2 * 3_600_000)
  const found = await report(database, { brandId, id })
  assert.deepEqual(countsOf(found), expectedCounts({ audience: 2, expired: 2 }))
  assert.deepEqual([found.state, found.reason], ['failed', 'expired'])
})

test('a worker takes a share of one channel, and the next channel of the brand has its turn beside it', async () => {
  const { brandId } = await brand()
  for (const platform of ['ios', 'android'] as const) {
    const userId = `gil ${platform}`
    await seedSubscriptions(database, { brandId, userId, platform })
    const count = platform === 'ios' ? 12 : 2
    for (let made = 0; made < count; made += 1) {
      await acceptNotification(database, { brandId, platform, target: { kind: 'user', userId } })
    }
  }
  const now = Date.now() + 1_000
  const claim = { workerId: 'w', leaseMs: 60_000, sizes: 'small', now } as const
  const taken = async (most: Pick<ChunkClaim, 'count' | 'perChannel' | 'rooms'>) => {
    const chunks = await claimChunks(database, { ...claim, ...most })
    return chunks.filter((chunk) => chunk.brandId === brandId).map(({ platform }) => platform)
  }
  assert.deepEqual((await taken({ count: 100, perChannel: 3 })).toSorted(), [
    'android',
    'android',
    'ios',
    'ios',
    'ios',
  ])
  const rooms = [{ brandId, platform: 'ios', room: 1 }] as const
  assert.deepEqual(await taken({ count: 100, perChannel: 3, rooms }), ['ios'])
  assert.deepEqual(await taken({ count: 100, rooms: [{ brandId, platform: 'ios', room: 0 }] }), [])
  assert.equal((await taken({ count: 100 })).length, 8)
})
