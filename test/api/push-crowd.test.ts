import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startServer } from '../support/processes/server.ts'
import { codesIn, idIn, notificationIn, push } from '../support/push/calls.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const ratePolicies = { push: { requestsMax: 100_000, windowMs: 60_000 } }
const server = await startServer({ options: { ratePolicies, inFlightMax: 2_000 } })
const { port, deps, brand } = server
const { database } = deps
after(server.close)

type Kept = { readonly id: string; readonly audience: number; readonly listed: readonly string[] }

/** What was stored of a brand's sends, with the devices that their chunks list. */
async function loadKept(brandId: number): Promise<readonly Kept[]> {
  const { rows } = await database.query<Kept>(
    `select n.id, n.audience, c.subscription_ids::text[] as listed from notifications as n
     join chunks as c on c.brand_id = n.brand_id and c.notification_id = n.id and c.remaining = n.pending
     where n.brand_id = $1 and n.audience = n.pending order by n.id`,
    [brandId],
  )
  return rows
}

async function all<Value>(count: number, one: (index: number) => Promise<Value>): Promise<readonly Value[]> {
  return Promise.all(Array.from({ length: count }, async (_, index) => one(index)))
}

test('1000 sends at once are 1000 notifications, each for the devices of its own user', async () => {
  const mine = await brand()
  const { brandId } = mine
  const devices = await all(20, async (user) =>
    seedSubscriptions(database, { brandId, userId: `user-${user}`, count: 1 + (user % 3) }),
  )
  const answers = await all(1_000, async (index) =>
    push(port, mine, { body: { user_id: `user-${index % 20}`, notification_id: index } }),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  const kept = new Map((await loadKept(brandId)).map((row) => [row.id, row]))
  assert.equal(kept.size, 1_000)
  for (const [index, answer] of answers.entries()) {
    const expected = devices[index % 20]
    assert.equal(notificationIn(answer)['notification_id'], index)
    assert.equal(notificationIn(answer)['audience'], expected?.length)
    assert.deepEqual(kept.get(idIn(answer))?.listed, expected?.map(String))
  }
})

test('sends to several platforms, by every kind of key, and refusals share a transaction and keep apart', async () => {
  const mine = await brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, userId: 'ann', subscriptionId: 'a', deviceId: 'same' })
  await seedSubscriptions(database, { brandId, userId: 'ben', platform: 'ios', deviceId: 'same', count: 1 })
  const cases = [
    ['android', { user_id: 'ann' }, null],
    ['android', { subscription_id: 'a' }, null],
    ['android', { 'user_id/subscription_id': 'a' }, null],
    ['android', { android_id: 'same' }, null],
    ['ios', { ios_ifv: 'same' }, null],
    ['android', { user_id: 'nobody' }, 'subscriber_not_found'],
    ['android', { user_id: 'ben' }, 'no_live_subscription'],
    ['android', { user_id: 'ben', subscription_id: 'a' }, 'identifiers_disagree'],
  ] as const
  // The first send is on its way alone, so the others wait and go together.
  const answers = await all(80, async (index) => {
    const [platform, body] = cases[index % cases.length] ?? cases[0]
    return push(port, mine, { platform, body })
  })
  for (const [index, answer] of answers.entries()) {
    const [, , code] = cases[index % cases.length] ?? cases[0]
    assert.deepEqual(codesIn(answer), code === null ? [] : [code])
    if (code === null) assert.equal(notificationIn(answer)['audience'], 1)
  }
  assert.equal((await loadKept(brandId)).length, 50)
})

test('500 for the one that cannot be stored; those that shared its transaction are stored', async () => {
  const mine = await brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  await server.asOwner('alter table notifications add constraint poison check (caller_notification_id <> -1)')
  const answers = await all(40, async (index) =>
    push(port, mine, { body: { user_id: 'ann', notification_id: index === 20 ? -1 : index } }),
  )
  await server.asOwner('alter table notifications drop constraint poison')
  const failed = answers.flatMap(({ status }, index) => (status === 200 ? [] : [[index, status]]))
  assert.deepEqual(failed, [[20, 500]])
  const ids = answers.filter(({ status }) => status === 200).map(idIn)
  assert.deepEqual(
    (await loadKept(brandId)).map(({ id }) => id),
    ids.toSorted(),
  )
})

test('1000 sends at once with one Idempotency-Key, among others without, are one notification', async () => {
  const mine = await brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  const headers = { 'idempotency-key': 'one-key' }
  const [answers, others] = await Promise.all([
    all(1_000, async () => push(port, mine, { headers, body: { user_id: 'ann' } })),
    all(50, async () => push(port, mine, { body: { user_id: 'ann' } })),
  ])
  const done = answers.filter(({ status }) => status === 200)
  for (const { status } of answers) assert.ok([200, 409].includes(status), String(status))
  assert.equal(new Set(done.map(idIn)).size, 1)
  assert.equal(new Set(others.map(idIn)).size, 50)
  assert.equal((await loadKept(brandId)).length, 51)
})
