import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { PushMode } from '../../src/rules/push.ts'
import { foldSeries } from '../../src/store/series/folding.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { idIn, notificationIn, push } from '../support/push/calls.ts'
import { claimOne, drain, open, planDue, settle } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { port, deps, brand, close } = await startServer()
after(close)
const { database } = deps

async function get(path: string, of: TestBrand): Promise<Answer> {
  return call(port, { path: `/api/v1/notifications${path}`, headers: keyHeaders(of) })
}

async function cancel(id: string, of: TestBrand): Promise<Answer> {
  return call(port, { method: 'POST', path: `/api/v1/notifications/${id}/cancel`, headers: keyHeaders(of) })
}

function rowsIn({ body }: Answer, noun: string): readonly Readonly<Record<string, unknown>>[] {
  const rows = body[noun]
  assert.ok(Array.isArray(rows))
  return rows.map((row: unknown) =>
    typeof row === 'object' && row !== null ? Object.fromEntries(Object.entries(row)) : {},
  )
}

function countsIn(notification: Readonly<Record<string, unknown>>): readonly unknown[] {
  return ['audience', 'accepted', 'failed', 'expired', 'cancelled', 'pending'].map(
    (name) => notification[name],
  )
}

test('200 with every notification once, newest first, page by page', async () => {
  const mine = await brand()
  await seedSubscriptions(database, { brandId: mine.brandId, userId: 'ann' })
  const ids: string[] = []
  for (let made = 0; made < 7; made += 1)
    ids.push(idIn(await push(port, mine, { body: { user_id: 'ann', title: `n${made}` } })))
  const seen: unknown[] = []
  let next: unknown = ''
  do {
    const page = await get(`?limit=3${next === '' ? '' : `&cursor=${String(next)}`}`, mine)
    assert.equal(page.status, 200)
    seen.push(...rowsIn(page, 'notifications').map(({ id }) => id))
    next = page.body['next_cursor']
  } while (next !== null)
  assert.deepEqual(seen, ids.toReversed())
})

test('200 with the list narrowed by state, platform and time', async () => {
  const mine = await brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  await seedSubscriptions(database, { brandId, userId: 'ann', platform: 'web' })
  const [before, android] = [
    new Date(Date.now() - 1),
    idIn(await push(port, mine, { body: { user_id: 'ann' } })),
  ]
  const web = idIn(await push(port, mine, { platform: 'web', body: { user_id: 'ann', time: 60 } }))
  const soon = new Date(Date.now() + 1)
  const ids = async (query: string) => rowsIn(await get(query, mine), 'notifications').map(({ id }) => id)
  assert.deepEqual(await ids('?state=scheduled'), [web])
  assert.deepEqual(await ids('?state=queued&platform=android'), [android])
  assert.deepEqual(await ids('?platform=ios'), [])
  assert.deepEqual(await ids(`?from=${before.toISOString()}&to=${soon.toISOString()}`), [web, android])
  assert.deepEqual(await ids(`?from=${soon.toISOString()}`), [])
  assert.deepEqual(await ids(`?to=${before.toISOString()}`), [])
})

test('200 with receipts and rates in every row, also after the person who clicked is erased', async () => {
  const mine = await brand()
  const { brandId } = mine
  const [first = 0n] = await seedSubscriptions(database, { brandId, userId: 'ann' })
  const others = await seedSubscriptions(database, { brandId, count: 3 })
  const id = idIn(await push(port, mine, { mode: 'all' }))
  await drain(database, {
    judge: ({ id: recipient }) => (recipient === others[0] ? { state: 'failed', reason: 'bad' } : {}),
  })
  const told = (subscriptionId: bigint, kind: string) => ({
    receipt: deps.receipts.sign({ brandId, notificationId: id, subscriptionId }, Date.now()),
    kind,
  })
  const receipts = [told(first, 'received'), told(first, 'clicked'), told(others[1] ?? 0n, 'dismissed')]
  await call(port, { path: '/api/v1/receipts', body: { receipts } })
  for (const [kind, devices] of [
    ['clicked', 1],
    ['dismissed', 1],
    ['button', 0],
  ] as const) {
    assert.equal(rowsIn(await get(`/${id}/deliveries?receipt=${kind}`, mine), 'deliveries').length, devices)
  }
  const figures = async () => {
    const [row = {}] = rowsIn(await get('', mine), 'notifications')
    return ['received', 'clicked', 'dismissed', 'button', 'acceptance_rate', 'click_rate'].map(
      (name) => row[name],
    )
  }
  assert.deepEqual(await figures(), [1, 1, 1, 0, 0.75, 0.3333])
  while ((await foldSeries(database, 100)) > 0);
  assert.deepEqual(await figures(), [1, 1, 1, 0, 0.75, 0.3333])
  await call(port, {
    path: '/api/v1/user/delete',
    headers: keyHeaders(mine),
    body: { nv: [{ userID: 'ann' }] },
  })
  await catchUp(database, brandId)
  assert.deepEqual(await figures(), [1, 1, 1, 0, 0.75, 0.3333])
})

test('200 with the list narrowed by mode, segment, campaign, journey and a part of the text', async () => {
  const mine = await brand()
  await seedSubscriptions(database, { brandId: mine.brandId, userId: 'ann' })
  await call(port, {
    path: '/api/v1/segments',
    headers: keyHeaders(mine),
    body: { name: 'everyone', segment_id: 42, filter: { not: { tag: 'none' } } },
  })
  const send = async (body: Readonly<Record<string, unknown>>, mode: PushMode = 'send') =>
    idIn(await push(port, mine, { mode, body }))
  const sale = await send({ user_id: 'ann', title: '50% off_now', message: 'Süße İstanbul 🎉' })
  const all = await send({ title: 'Hello', message: 'to 500 people' }, 'all')
  const ids = async (query: Readonly<Record<string, string>>) =>
    rowsIn(await get(`?${new URLSearchParams(query).toString()}`, mine), 'notifications').map(
      (row) => row['id'],
    )
  assert.deepEqual(await ids({ mode: 'send' }), [sale])
  assert.deepEqual(await ids({ mode: 'all' }), [all])
  assert.deepEqual(await ids({ mode: 'segment' }), [])
  const part = await send({ title: 'Part', segment_id: 42 }, 'segment')
  assert.deepEqual(await ids({ segment_id: '42' }), [part])
  assert.deepEqual(await ids({ mode: 'segment', segment_id: '42', state: 'queued' }), [part])
  assert.deepEqual(await ids({ text: 'hell' }), [all])
  assert.deepEqual(await ids({ text: '50%' }), [sale])
  assert.deepEqual(await ids({ text: '50_' }), [])
  assert.deepEqual(await ids({ text: 'OFF_N' }), [sale])
  assert.deepEqual(await ids({ text: '🎉 ' }), [])
  assert.deepEqual(await ids({ text: 'l 🎉' }), [sale])
  assert.deepEqual(await ids({ text: 'hell', mode: 'send' }), [])
  const turkish = await send({ title: 'KAPALIÇARŞI', message: 'Große İndirim' }, 'all')
  for (const text of ['kapalıçarşı', 'GROSSE in', 'große i', 'kapaliç'])
    assert.deepEqual(await ids({ text }), [turkish], text)
  assert.deepEqual(await ids({ source: 'journey' }), [])
  assert.deepEqual(await ids({ source: 'endpoint,campaign' }), [turkish, part, all, sale])
})

test('400 for a filter that means nothing', async () => {
  const mine = await brand()
  for (const query of [
    '?state=flying',
    '?platform=pager',
    '?from=yesterday',
    '?limit=501',
    '?mode=loud',
    '?segment_id=one',
    '?text=a',
    `?text=${'a'.repeat(101)}`,
    '?cursor=made-up',
  ])
    assert.equal((await get(query, mine)).status, 400, query)
})

test('404 for a notification that is unknown, misspelt or another brand’s, to read, list and cancel', async () => {
  const [mine, other] = [await brand(), await brand()]
  await seedSubscriptions(database, { brandId: other.brandId, userId: 'ann' })
  const theirs = idIn(await push(port, other, { body: { user_id: 'ann' } }))
  for (const id of [
    theirs,
    '0193e7a0-0000-7000-8000-000000000000',
    'nonsense',
    "'; drop table notifications",
  ]) {
    const spelled = encodeURIComponent(id)
    for (const answer of [
      await get(`/${spelled}`, mine),
      await get(`/${spelled}/deliveries`, mine),
      await get(`/${spelled}/reasons`, mine),
      await cancel(spelled, mine),
    ])
      assert.deepEqual([answer.status, answer.body['code']], [404, 'notification_not_found'])
  }
  assert.equal(notificationIn(await get(`/${theirs}`, other))['state'], 'queued')
})

test('200 with what became of each recipient, and why', async () => {
  const mine = await brand()
  const { brandId } = mine
  const [own = 0n] = await seedSubscriptions(database, { brandId, userId: 'ann' })
  const ids = [own, ...(await seedSubscriptions(database, { brandId, count: 4 }))]
  const id = idIn(await push(port, mine, { mode: 'all' }))
  await drain(database, {
    judge: (recipient) => {
      return recipient.id === ids[0] ? { state: 'failed', reason: 'unregistered' } : {}
    },
  })
  const first = await get(`/${id}/deliveries?limit=2`, mine)
  const rest = await get(`/${id}/deliveries?cursor=${String(first.body['next_cursor'])}`, mine)
  const all = [...rowsIn(first, 'deliveries'), ...rowsIn(rest, 'deliveries')]
  assert.deepEqual(
    all.map(({ state, reason, attempt }) => [state, reason, attempt]),
    [['failed', 'unregistered', 1], ...ids.slice(1).map(() => ['accepted', null, 1])],
  )
  assert.deepEqual(Object.keys(all[0] ?? {}), [
    'subscription_id',
    'user_id',
    'state',
    'reason',
    'attempt',
    'at',
    'language',
    'reported_at',
  ])
  assert.match(String(all[0]?.['subscription_id']), /^sub-/)
  assert.deepEqual(
    all.map(({ user_id: userId }) => userId),
    ['ann', null, null, null, null],
  )
  const counted = await get(`/${id}/reasons`, mine)
  assert.deepEqual(counted.body['reasons'], [{ state: 'failed', reason: 'unregistered', devices: 1 }])
  assert.equal(counted.body['is_complete'], true)
  assert.equal(rowsIn(await get(`/${id}/deliveries?reason=unregistered`, mine), 'deliveries').length, 1)
  assert.equal(rowsIn(await get(`/${id}/deliveries?reason=other`, mine), 'deliveries').length, 0)
  const failed = rowsIn(await get(`/${id}/deliveries?state=failed`, mine), 'deliveries')
  assert.deepEqual(
    failed.map(({ reason }) => reason),
    ['unregistered'],
  )
  const report = notificationIn(await get(`/${id}`, mine))
  assert.deepEqual([report['state'], ...countsIn(report)], ['sent', 5, 4, 1, 0, 0, 0])
})

test('200 for a cancel of what is scheduled: it never goes out', async () => {
  const mine = await brand()
  const [phone] = await seedSubscriptions(database, { brandId: mine.brandId, userId: 'ann' })
  const id = idIn(await push(port, mine, { body: { user_id: 'ann', time: 60 } }))
  const answer = await cancel(id, mine)
  assert.deepEqual([answer.status, notificationIn(answer)['state']], [200, 'cancelled'])
  assert.deepEqual(countsIn(notificationIn(answer)), [null, 0, 0, 0, 0, 0])
  const drained = await drain(database, { now: Date.now() + 120_000 })
  assert.ok(drained.every(({ recipient }) => recipient.id !== phone))
  assert.equal((await cancel(id, mine)).status, 200)
})

test('200 for a cancel of a broadcast before it is planned and while it is sent; the sum holds at each step', async () => {
  const mine = await brand()
  const ids = await seedSubscriptions(database, { brandId: mine.brandId, count: 12 })
  const unplanned = idIn(await push(port, mine, { mode: 'all' }))
  assert.deepEqual(countsIn(notificationIn(await cancel(unplanned, mine))), [12, 0, 0, 0, 12, 0])

  const id = idIn(await push(port, mine, { mode: 'all', body: { per_second: 1 } }))
  await planDue(database)
  const chunk = await claimOne(database)
  assert.ok(chunk !== null)
  await open(database, chunk)
  await settle(database, chunk, [{ recipientId: ids[0] ?? 0n }])
  assert.equal(notificationIn(await get(`/${id}`, mine))['state'], 'sending')
  const cancelled = notificationIn(await cancel(id, mine))
  assert.deepEqual([cancelled['state'], ...countsIn(cancelled)], ['cancelled', 12, 1, 0, 0, 7, 4])
  await settle(
    database,
    chunk,
    ids.slice(1, 5).map((recipientId) => ({ recipientId })),
  )
  const over = notificationIn(await get(`/${id}`, mine))
  assert.deepEqual([over['state'], ...countsIn(over)], ['cancelled', 12, 5, 0, 0, 7, 0])
})

test('409 for a cancel of what is over', async () => {
  const mine = await brand()
  await seedSubscriptions(database, { brandId: mine.brandId, userId: 'ann' })
  const id = idIn(await push(port, mine, { body: { user_id: 'ann' } }))
  await drain(database)
  const answer = await cancel(id, mine)
  assert.deepEqual([answer.status, answer.body['code']], [409, 'notification_final'])
})
