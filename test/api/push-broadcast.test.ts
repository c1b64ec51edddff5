import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { PLATFORM_NAMES } from '../../src/rules/platforms.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { idIn, notificationIn, push } from '../support/push/calls.ts'
import { drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { port, deps, brand, close } = await startServer()
after(close)
const { database } = deps

async function segmentOf(brandId: number, filter: object, id: bigint | null = null): Promise<bigint> {
  const { rows } = await database.query<{ id: bigint }>(
    `insert into segments (brand_id, ${id === null ? '' : 'id,'} name, filter, created_at, updated_at)
     values ($1, ${id === null ? '' : `${id},`} 'test', $2, now(), now()) returning id`,
    [brandId, JSON.stringify(filter)],
  )
  return rows[0]?.id ?? 0n
}

for (const platform of PLATFORM_NAMES)
  test(`200 on ${platform}: a broadcast reaches every live subscription of the platform and no other`, async () => {
    const mine = await brand()
    const { brandId } = mine
    const ids = await seedSubscriptions(database, { brandId, platform, count: 7 })
    await seedSubscriptions(database, { brandId, platform, state: 'unsubscribed' })
    for (const other of PLATFORM_NAMES.filter((name) => name !== platform))
      await seedSubscriptions(database, { brandId, platform: other })
    await seedSubscriptions(database, { brandId: (await brand()).brandId, platform })
    const answer = await push(port, mine, { platform, mode: 'all' })
    assert.deepEqual([answer.status, notificationIn(answer)['audience']], [200, 7])
    const drained = await drain(database)
    assert.deepEqual(
      drained.map(({ recipient }) => recipient.id),
      ids,
    )
  })

test('200 with an audience of nobody, which ends sent', async () => {
  const mine = await brand()
  const answer = await push(port, mine, { mode: 'all' })
  assert.deepEqual([answer.status, notificationIn(answer)['audience']], [200, 0])
  await drain(database)
  const path = `/api/v1/notifications/${idIn(answer)}`
  const report = notificationIn(await call(port, { path, headers: keyHeaders(mine) }))
  assert.deepEqual([report['state'], report['audience'], report['pending']], ['sent', 0, 0])
})

test('200 for a segment: only its members are reached, with the tag narrowing further', async () => {
  const mine = await brand()
  const { brandId } = mine
  const [vip] = await seedSubscriptions(database, { brandId, tags: ['vip', 'new'] })
  await seedSubscriptions(database, { brandId, tags: ['vip'] })
  const [ann] = await seedSubscriptions(database, { brandId, userId: 'ann' })
  await seedSubscriptions(database, { brandId, userId: 'bob', tags: ['vip'] })
  const filter = { all: [{ any: [{ tag: 'vip' }, { users: ['ann'] }] }, { not: { users: ['bob'] } }] }
  const segment_id = await segmentOf(brandId, filter, 9_223_372_036_854_775_807n)
  const answer = await push(port, mine, { mode: 'segment', body: { segment_id } })
  assert.deepEqual([answer.status, notificationIn(answer)['audience']], [200, 3])
  const drained = await drain(database)
  assert.equal(drained.length, 3)
  assert.ok(drained.some(({ recipient }) => recipient.id === ann))

  const narrowed = await push(port, mine, {
    mode: 'segment',
    body: { segment_id: String(segment_id), tag: 'new' },
  })
  assert.equal(notificationIn(narrowed)['audience'], 1)
  assert.deepEqual(
    (await drain(database)).map(({ recipient }) => recipient.id),
    [vip],
  )
  const path = `/api/v1/notifications/${idIn(narrowed)}`
  const report = await call(port, { path, headers: keyHeaders(mine) })
  assert.ok(report.text.includes(`"segment_id":${segment_id}`))
})

test('404 for a segment that is unknown, archived or another brand’s, with its digits intact', async () => {
  const [mine, other] = [await brand(), await brand()]
  const theirs = await segmentOf(other.brandId, { tag: 'vip' })
  const archived = await segmentOf(mine.brandId, { tag: 'vip' })
  await database.query('update segments set archived_at = now() where brand_id = $1 and id = $2', [
    mine.brandId,
    archived,
  ])
  for (const segment_id of [theirs, archived, 9_223_372_036_854_775_807n]) {
    const answer = await push(port, mine, { mode: 'segment', body: { segment_id } })
    assert.deepEqual([answer.status, answer.body['code']], [404, 'segment_not_found'])
    assert.ok(answer.text.includes(`This brand has no segment ${segment_id}.`))
  }
})

test('400 for a stray segment or identifier on a broadcast, so that a mistake does not reach everyone', async () => {
  const mine = await brand()
  for (const [mode, body] of [
    ['all', { segment_id: 1 }],
    ['all', { user_id: 'ann' }],
    ['all', { ios_ifv: 'device' }],
    ['segment', { segment_id: 1, subscription_id: 's' }],
  ] as const) {
    const answer = await push(port, mine, { mode, body })
    assert.deepEqual([answer.status, answer.body['code']], [400, 'field_conflict'], answer.text)
  }
  const missing = await push(port, mine, { mode: 'segment' })
  assert.deepEqual([missing.status, missing.body['code']], [400, 'field_missing'])
})

test('a broadcast with per_second is cut into pieces that start one after the other', async () => {
  const mine = await brand()
  await seedSubscriptions(database, { brandId: mine.brandId, count: 45 })
  const answer = await push(port, mine, { mode: 'all', body: { per_second: 2 } })
  assert.equal((await drain(database)).length, 10)
  const { rows } = await database.query<{ seconds: number; size: number }>(
    `select round(extract(epoch from ready_at - min(ready_at) over ()))::integer as seconds, remaining as size
     from chunks where brand_id = $1 order by ready_at`,
    [mine.brandId],
  )
  assert.deepEqual(
    rows.map(({ seconds, size }) => [seconds, size]),
    [
      [0, 10],
      [5, 10],
      [10, 10],
      [15, 5],
    ],
  )
  const path = `/api/v1/notifications/${idIn(answer)}`
  const report = notificationIn(await call(port, { path, headers: keyHeaders(mine) }))
  assert.deepEqual([report['audience'], report['accepted'], report['pending']], [45, 10, 35])
})

test('dry_run of a broadcast counts the audience also of a schedule, and stores nothing', async () => {
  const mine = await brand()
  await seedSubscriptions(database, { brandId: mine.brandId, count: 4 })
  const answer = await push(port, mine, { mode: 'all', body: { time: 3_600, dry_run: true } })
  assert.deepEqual([answer.status, notificationIn(answer)['audience']], [200, 4])
  const list = await call(port, { path: '/api/v1/notifications', headers: keyHeaders(mine) })
  assert.deepEqual(list.body['notifications'], [])
})
