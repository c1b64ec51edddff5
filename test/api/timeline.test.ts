import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { JsonObject } from '../../src/domain/values/json.ts'
import { TIMELINE_KINDS } from '../../src/rules/people.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { walkers } from '../support/journeys/walkers.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { acceptNotification } from '../support/push/notifications.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const users = new UserCalls(server)
const walk = walkers(server)
let brand: TestBrand
test.beforeEach(async () => {
  brand = await server.brand()
})

const post = async (path: string, body: object): Promise<Answer> =>
  call(server.port, { path, headers: keyHeaders(brand), body })
const read = async (userId: string, query: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  call(server.port, {
    path: `/api/v1/users/${encodeURIComponent(userId)}/timeline?${new URLSearchParams(query).toString()}`,
    headers: keyHeaders(brand),
  })
const linesOf = ({ body }: Answer): readonly JsonObject[] => Array.from(Object(body['timeline']))
const fieldOf = (line: JsonObject, name: string): unknown =>
  Reflect.get(Object(line[String(line['kind'])]), name)

/** What each line of a time line says, in a word. */
const wordsOf = (answer: Answer): readonly string[] =>
  linesOf(answer).map((line) => {
    const word = WORDS.map((name) => fieldOf(line, name)).find((value) => typeof value === 'string')
    return `${String(line['kind'])} ${word ?? ''}`
  })
const WORDS = ['event_name', 'receipt', 'state', 'code', 'change', 'did']

async function register(userId: string, token: string): Promise<bigint> {
  const made = await post('/api/v1/subscriptions', {
    platform: 'android',
    token,
    user_id: userId,
    subscription_id: token,
  })
  assert.equal(made.status, 200, made.text)
  const { rows } = await database.query<{ id: bigint }>(
    'select id from subscriptions where brand_id = $1 and subscription_id = $2',
    [brand.brandId, token],
  )
  return rows[0]?.id ?? 0n
}

/** A broadcast that reached a device, and the device's receipts. */
async function deliver(subscriptionId: bigint, at: number, kinds: readonly string[] = []): Promise<string> {
  const { brandId } = brand
  const id = await acceptNotification(database, { brandId, target: { kind: 'all' } })
  await database.query(
    `insert into deliveries (brand_id, notification_id, subscription_id, state, attempt, at)
     values ($1, $2, $3, 'accepted', 1, $4)`,
    [brandId, id, subscriptionId, new Date(at)],
  )
  await database.query(
    `insert into receipts (brand_id, notification_id, subscription_id, kind, at)
     select $1, $2, $3, kind, $4::timestamptz + place * interval '1 second'
     from unnest($5::text[]) with ordinality as told (kind, place)`,
    [brandId, id, subscriptionId, new Date(at), kinds],
  )
  return id
}

/** The lines of all pages. */
async function walkAll(
  userId: string,
  query: Readonly<Record<string, string>>,
): Promise<readonly JsonObject[]> {
  const lines: JsonObject[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Answer = await read(userId, { ...query, ...(cursor === '' ? {} : { cursor }) })
    assert.equal(page.status, 200, page.text)
    lines.push(...linesOf(page))
    const { next_cursor: next } = page.body
    cursor = typeof next === 'string' ? next : null
  }
  return lines
}

const HOUR_MS = 3_600_000

test('200 joins events, deliveries, receipts and changes, newest first', async () => {
  const now = Date.now()
  await users.post(brand, 'create', { nv: [{ userID: 'ann' }] })
  const device = await register('ann', 'token-1')
  await logEntries(server.port, brand, [
    entryOf({ userID: 'ann', event_name: 'viewed', event_time: new Date(now - 3 * HOUR_MS).toISOString() }),
    entryOf({
      userID: 'ann',
      event_name: 'bought',
      event_time: new Date(now - HOUR_MS).toISOString(),
      ltv: '12.50',
    }),
    entryOf({ userID: 'somebody else', event_name: 'hidden' }),
  ])
  const id = await deliver(device, now - 2 * HOUR_MS, ['received', 'clicked'])
  await post('/api/v1/topics', { name: 'news', title: 'News' })
  await call(server.port, {
    path: '/api/v1/user/preferences',
    method: 'PUT',
    headers: keyHeaders(brand),
    body: { userID: 'ann', opt_outs: ['news'] },
  })
  await call(server.port, {
    path: '/api/v1/subscriptions/token-1/unsubscribe',
    method: 'POST',
    headers: keyHeaders(brand),
  })
  const answer = await read('ann')
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(wordsOf(answer), [
    'change unsubscribed',
    'change opted_out',
    'change subscribed',
    'change created',
    'event bought',
    'receipt clicked',
    'receipt received',
    'delivery accepted',
    'event viewed',
  ])
  const lines = linesOf(answer)
  const delivery = lines.find(({ kind }) => kind === 'delivery') ?? {}
  assert.equal(delivery['at'], new Date(now - 2 * HOUR_MS).toISOString())
  assert.deepEqual(fieldOf(delivery, 'subscription_id'), 'token-1')
  assert.equal(Reflect.get(Object(fieldOf(delivery, 'notification')), 'id'), id)
  assert.equal(fieldOf(lines[4] ?? {}, 'ltv'), '12.50')
  assert.equal(fieldOf(lines[1] ?? {}, 'topic'), 'news')
})

test('200 keeps to the kinds and the time that are asked for', async () => {
  const now = Date.now()
  const device = await register('ann', 'token-2')
  await deliver(device, now - 2 * HOUR_MS, ['received'])
  await deliver(device, now - 5 * HOUR_MS)
  const from = new Date(now - 3 * HOUR_MS).toISOString()
  assert.deepEqual(wordsOf(await read('ann', { kinds: 'delivery' })), [
    'delivery accepted',
    'delivery accepted',
  ])
  assert.deepEqual(wordsOf(await read('ann', { kinds: 'delivery, receipt', from })), [
    'receipt received',
    'delivery accepted',
  ])
  assert.deepEqual(wordsOf(await read('ann', { kinds: 'delivery,receipt', to: from })), ['delivery accepted'])
  for (const query of [{ kinds: 'deliveries' }, { kinds: '' }, { from: 'yesterday' }, { by: 'name' }]) {
    assert.equal((await read('ann', query)).status, 400)
  }
})

test('200 pages without gaps or repeats, also among lines of the same instant', async () => {
  const at = Date.now() - HOUR_MS
  const device = await register('ann', 'token-3')
  const event_time = new Date(at).toISOString()
  await logEntries(
    server.port,
    brand,
    Array.from({ length: 17 }, (_, n) => entryOf({ userID: 'ann', event_name: `e${n}`, event_time })),
  )
  for (let n = 0; n < 5; n++) await deliver(device, at, ['received', 'clicked'])
  const whole = linesOf(await read('ann'))
  assert.equal(whole.length, 17 + 15 + 2)
  for (const limit of ['1', '3', '7']) assert.deepEqual(await walkAll('ann', { limit }), whole, limit)
  const places = whole.map(({ kind }) => TIMELINE_KINDS.findIndex((known) => known === kind))
  assert.deepEqual(
    places.slice(-22),
    places.slice(-22).toSorted((a, b) => a - b),
  )
  for (const forged of ['1 event', 'x event 1', '1 nothing 1', '9223372036854775807 event 1', '1 event \0']) {
    const cursor = Buffer.from(forged).toString('base64url')
    assert.equal((await read('ann', { cursor })).status, 400, forged)
  }
})

test('200 shows the steps of journeys with their sentences', async () => {
  const walker = await walk({
    trigger: { event: 'signup' },
    steps: [{ id: 'wait', wait: { hours: 1 } }],
  })
  brand = walker.brand
  await walker.log(entryOf({ userID: 'u1', event_name: 'signup', attributes: {} }))
  await walker.run(0)
  const answer = await read('u1', { kinds: 'journey' })
  assert.deepEqual(wordsOf(answer).toSorted(), ['journey entered', 'journey waiting'])
  assert.match(answer.text, /The trigger came and the person entered\./)
})

test('200 over a merge: both lines of a life at once, and apart again after it is undone', async () => {
  brand = await users.mergingBrand()
  await users.post(brand, 'create', { nv: [{ userID: 'old' }] })
  await users.post(brand, 'create', { nv: [{ userID: 'new', email: 'n@x.example' }] })
  await logEntries(server.port, brand, [
    entryOf({ userID: 'old', event_name: 'first' }),
    entryOf({ userID: 'new', event_name: 'second' }),
  ])
  const device = await register('new', 'token-4')
  await deliver(device, Date.now(), ['received'])
  await users.post(brand, 'create', { nv: [{ userID: 'old', email: 'n@x.example' }] })
  for (const _ of ['before the events moved', 'after']) {
    for (const name of ['old', 'new']) {
      const words = wordsOf(await read(name))
      for (const word of [
        'merge merged',
        'event first',
        'event second',
        'delivery accepted',
        'receipt received',
      ]) {
        assert.equal(words.filter((one) => one === word).length, 1, `${word} of ${words.join(', ')}`)
      }
    }
    assert.deepEqual(wordsOf(await read('n@x.example', { by: 'email', kinds: 'merge' })), ['merge merged'])
    await catchUp(database, brand.brandId)
  }
  const undone = await users.post(brand, 'unmerge', { userID: 'new' })
  assert.equal(undone.status, 200, undone.text)
  await catchUp(database, brand.brandId)
  assert.deepEqual(wordsOf(await read('old', { kinds: 'event,merge' })), [
    'merge unmerged',
    'merge merged',
    'event first',
  ])
  const apart = wordsOf(await read('new', { kinds: 'event,merge,delivery' }))
  assert.deepEqual(apart.toSorted(), ['delivery accepted', 'event second', 'merge merged', 'merge unmerged'])
  const others = { old: 'new', new: 'old' }
  for (const [name, other] of Object.entries(others)) {
    const lines = Object((await read(name, { kinds: 'merge' })).body)['timeline']
    for (const { merge } of Array.from(lines, Object)) {
      assert.deepEqual([merge.user_ids, merge.person], [[other], { kind: 'user_id', value: other }], name)
    }
  }
  await users.post(brand, 'delete', { nv: [{ userID: 'old' }] })
  const [alone] = Array.from(Object((await read('new', { kinds: 'merge' })).body)['timeline'], Object)
  if (alone !== undefined) assert.deepEqual([alone.merge.user_ids, alone.merge.person], [[], null])
})

test('200 names the other person of an undone merge by the identifier that there is', async () => {
  const mine = await users.mergingBrand()
  brand = mine
  await users.post(mine, 'create', { nv: [{ userID: 'old' }] })
  await users.post(mine, 'create', { nv: [{ email: 'only@x.example' }] })
  await users.post(mine, 'create', { nv: [{ userID: 'old', email: 'only@x.example' }] })
  const [merged] = Array.from(Object((await read('old', { kinds: 'merge' })).body)['timeline'], Object)
  assert.equal(merged.merge.person, null)
  assert.equal((await users.post(mine, 'unmerge', { userID: 'old' })).status, 200)
  const [undone] = Array.from(Object((await read('old', { kinds: 'merge' })).body)['timeline'], Object)
  assert.equal(undone.merge.did, 'unmerged')
  assert.deepEqual(
    [undone.merge.user_ids, undone.merge.person],
    [[], { kind: 'email', value: 'only@x.example' }],
  )
})

test('404 after an erasure, and a new person of the same name has nothing of the old one', async () => {
  await users.post(brand, 'create', { nv: [{ userID: 'ann' }] })
  await logEntries(server.port, brand, [entryOf({ userID: 'ann', event_name: 'before' })])
  const device = await register('ann', 'token-5')
  await deliver(device, Date.now(), ['received'])
  await users.post(brand, 'delete', { nv: [{ userID: 'ann' }] })
  const gone = await read('ann')
  assert.deepEqual([gone.status, gone.body['code']], [404, 'profile_not_found'])
  await logEntries(server.port, brand, [entryOf({ userID: 'ann', event_name: 'after' })])
  for (const _ of ['before the traces are gone', 'after']) {
    assert.deepEqual(wordsOf(await read('ann')).toSorted(), ['change created', 'event after'])
    await catchUp(database, brand.brandId)
  }
})

test('200 hides a message to the person who had the device before', async () => {
  const device = await register('first', 'token-6')
  const { brandId } = brand
  const id = await deliver(device, Date.now())
  await database.query(
    `update notifications set profile_id = (select profile_id from subscriptions where brand_id = $1 and id = $2)
     where brand_id = $1 and id = $3`,
    [brandId, device, id],
  )
  assert.deepEqual(wordsOf(await read('first', { kinds: 'delivery' })), ['delivery accepted'])
  await register('second', 'token-6')
  assert.deepEqual(wordsOf(await read('second', { kinds: 'delivery' })), [])
})

test('404 for somebody unknown, of another brand, or with a NUL', async () => {
  await users.post(brand, 'create', { nv: [{ userID: 'ann' }] })
  assert.equal((await read('ann')).status, 200)
  assert.equal((await read('nobody')).status, 404)
  assert.equal((await read('x\0')).status, 404)
  assert.equal((await read('ann', { by: 'visitor' })).status, 404)
  brand = await server.brand()
  assert.equal((await read('ann')).status, 404)
})
