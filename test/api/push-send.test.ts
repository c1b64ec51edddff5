import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { PLATFORM_NAMES } from '../../src/rules/platforms.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { codesIn, idIn, notificationIn, push } from '../support/push/calls.ts'
import { drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { port, deps, brand, close } = await startServer()
after(close)
const { database } = deps

const mine = await brand()
const { brandId } = mine
const annAndroid = await seedSubscriptions(database, { brandId, userId: 'ann', count: 2 })
await seedSubscriptions(database, {
  brandId,
  userId: 'bob',
  subscriptionId: 'bob-phone',
  deviceId: 'device-bob',
})
await seedSubscriptions(database, { brandId, userId: 'ann', platform: 'ios', subscriptionId: 'ann-iphone' })
await seedSubscriptions(database, { brandId, userId: 'gone', state: 'gone' })
await seedSubscriptions(database, { brandId, userId: 'tagged', tags: ['vip'] })

test('200 with the notification, its work committed, and every device of the user reached', async () => {
  const answer = await push(port, mine, { body: { user_id: 'ann' } })
  assert.equal(answer.status, 200)
  assert.deepEqual(
    [answer.body['message'], answer.body['processed'], answer.body['status_code']],
    ['success', 1, '200'],
  )
  const { id, state, audience, notification_id, send_at } = notificationIn(answer)
  assert.match(String(id), /^[\da-f-]{36}$/)
  assert.deepEqual([state, audience, notification_id], ['queued', 2, null])
  assert.match(String(send_at), /Z$/)
  const drained = await drain(database)
  assert.deepEqual(
    drained.map(({ recipient }) => recipient.id),
    annAndroid,
  )
  assert.deepEqual(drained[0]?.chunk.content.title, 'Hello')
})

for (const platform of PLATFORM_NAMES)
  test(`200 on ${platform}`, async () => {
    const user_id = `everywhere-${platform}`
    await seedSubscriptions(database, { brandId, userId: user_id, platform })
    const answer = await push(port, mine, { platform, body: { user_id } })
    assert.deepEqual([answer.status, notificationIn(answer)['audience']], [200, 1])
  })

for (const [what, body] of [
  ['user_id', { user_id: 'bob' }],
  ['subscription_id', { subscription_id: 'bob-phone' }],
  ['the combined key, as a user', { 'user_id/subscription_id': 'bob' }],
  ['the combined key, as a subscription', { 'user_id/subscription_id': 'bob-phone' }],
  ['the combined key with spaces', { 'user_id / subscription_id': 'bob-phone' }],
  ['android_id', { android_id: 'device-bob' }],
  ['several that agree', { user_id: 'bob', subscription_id: 'bob-phone', android_id: 'device-bob' }],
] as const)
  test(`200 for a subscriber named by ${what}`, async () => {
    const answer = await push(port, mine, { body })
    assert.deepEqual([answer.status, notificationIn(answer)['audience']], [200, 1])
  })

test('200 with int64 ids that come back digit for digit', async () => {
  for (const id of [9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n, 9_007_199_254_740_993n]) {
    const answer = await push(port, mine, { body: { user_id: 'bob', notification_id: id } })
    assert.ok(answer.text.includes(`"notification_id":${id}`), answer.text)
    const report = await call(port, {
      path: `/api/v1/notifications/${idIn(answer)}`,
      headers: keyHeaders(mine),
    })
    assert.ok(report.text.includes(`"notification_id":${id}`), report.text)
    const text = await push(port, mine, { body: { user_id: 'bob', notification_id: String(id) } })
    assert.ok(text.text.includes(`"notification_id":${id}`), text.text)
  }
})

test('400 when identifiers name different subscribers', async () => {
  const answer = await push(port, mine, { body: { user_id: 'ann', subscription_id: 'bob-phone' } })
  assert.deepEqual([answer.status, answer.body['code']], [400, 'identifiers_disagree'])
})

test('400 without any identifier', async () => {
  const answer = await push(port, mine)
  assert.deepEqual([answer.status, answer.body['code']], [400, 'identifier_missing'])
})

test('404 for a subscriber nobody knows', async () => {
  for (const body of [{ user_id: 'nobody' }, { subscription_id: 'nothing' }, { android_id: 'none' }]) {
    const answer = await push(port, mine, { body })
    assert.deepEqual([answer.status, answer.body['code']], [404, 'subscriber_not_found'])
  }
})

test('404 for a subscriber without a live subscription on the platform', async () => {
  for (const [platform, body] of [
    ['web', { user_id: 'ann' }],
    ['android', { user_id: 'gone' }],
    ['android', { subscription_id: 'ann-iphone' }],
  ] as const) {
    const answer = await push(port, mine, { platform, body })
    assert.deepEqual([answer.status, answer.body['code']], [404, 'no_live_subscription'])
  }
})

test('404 alike for the subscriber of another brand', async () => {
  const other = await brand()
  const bodies = [{ user_id: 'bob' }, { subscription_id: 'bob-phone' }, { android_id: 'device-bob' }]
  for (const body of bodies) {
    const theirs = await push(port, other, { body })
    const nobodys = await push(port, mine, { body: mapValues(body) })
    assert.equal(theirs.status, 404)
    assert.deepEqual(withoutId(theirs.body), withoutId(nobodys.body))
  }
})

function mapValues(body: object): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(body).map((name) => [name, 'nobody-at-all']))
}

function withoutId(body: Readonly<Record<string, unknown>>): object {
  const { request_id: _, ...rest } = body
  return rest
}

test('200 with an audience of nobody when the tag fits no device, and it ends sent', async () => {
  const none = await push(port, mine, { body: { user_id: 'ann', tag: 'vip' } })
  assert.deepEqual([none.status, notificationIn(none)['audience']], [200, 0])
  const path = `/api/v1/notifications/${idIn(none)}`
  const report = await call(port, { path, headers: keyHeaders(mine) })
  assert.equal(notificationIn(report)['state'], 'sent')
  const one = await push(port, mine, { body: { user_id: 'tagged', tag: 'vip' } })
  assert.equal(notificationIn(one)['audience'], 1)
})

test('a tag of the person counts as one of each device', async () => {
  await seedSubscriptions(database, { brandId, userId: 'person', count: 2 })
  await database.query(
    `update profiles set tags = '{gold}' where brand_id = $1 and id = (
       select profile_id from profile_identities where brand_id = $1 and value = 'person')`,
    [brandId],
  )
  const send = await push(port, mine, { body: { user_id: 'person', tag: 'gold' } })
  assert.equal(notificationIn(send)['audience'], 2)
  const broadcast = await push(port, mine, { mode: 'all', body: { tag: 'gold' } })
  assert.equal(notificationIn(broadcast)['audience'], 2)
})

test('400 and 200 on either side of the length limits, counted in code points', async () => {
  const emoji = '👩‍👧'.repeat(20) // three code points each
  for (const [field, max] of [
    ['title', 70],
    ['message', 130],
  ] as const) {
    const good = await push(port, mine, { body: { user_id: 'bob', [field]: 'é'.repeat(max) } })
    assert.equal(good.status, 200)
    const bad = await push(port, mine, { body: { user_id: 'bob', [field]: 'é'.repeat(max + 1) } })
    assert.deepEqual([bad.status, codesIn(bad)], [400, ['field_too_long']])
    const marks = await push(port, mine, { body: { user_id: 'bob', [field]: 'e\u0301'.repeat(max) } })
    assert.equal(marks.status, 400)
  }
  const fits = await push(port, mine, { body: { user_id: 'bob', title: emoji + 'x'.repeat(10) } })
  assert.equal(fits.status, 200)
  const over = await push(port, mine, { body: { user_id: 'bob', title: emoji + 'x'.repeat(11) } })
  assert.equal(over.status, 400)
})

test('400 when the rendered payload is larger than the platform carries, and nothing is stored', async () => {
  const web = await seedSubscriptions(database, { brandId, userId: 'wide', platform: 'web' })
  assert.equal(web.length, 1)
  const answer = await push(port, mine, {
    platform: 'web',
    body: { user_id: 'wide', message: 'x'.repeat(5_000) },
  })
  assert.deepEqual([answer.status, answer.body['code']], [400, 'payload_too_large'])
})

test('200 with a warning that names a field nobody knows', async () => {
  const answer = await push(port, mine, { body: { user_id: 'bob', colour: 'red' } })
  assert.equal(answer.status, 200)
  const { warnings } = answer.body
  assert.ok(Array.isArray(warnings))
  assert.deepEqual(
    warnings.map((warning: unknown) =>
      typeof warning === 'object' && warning !== null ? { ...warning, message: '' } : null,
    ),
    [{ field: 'colour', code: 'unknown_field', message: '' }],
  )
})

test('400 for bodies that mean harm, each with its code', async () => {
  const headers = { ...keyHeaders(mine), 'content-type': 'application/json' }
  const path = '/api/v1/android/send'
  for (const [body, code] of [
    ['{"user_id":"bob","title":"a","message":"nul \\u0000"}', 'field_invalid'],
    ['{"user_id":"bob","title":"a","message":"lone \\ud800"}', 'field_invalid'],
    ['{"user_id":"bob","title":"a","message":"m","notification_id":1e400}', 'field_out_of_range'],
    [`${'['.repeat(50_000)}${']'.repeat(50_000)}`, 'body_too_deep'],
    ['{"user_id":"bob","title":"a","message":"m","url":"javascript:alert(1)"}', 'field_invalid'],
    ['{"user_id":"bob","title":"a","message":"m","image_url":"http://example.com/a.png"}', 'field_invalid'],
    ['{"user_id":"bob","title":"{{ broken","message":"m"}', 'template_invalid'],
  ] as const) {
    const answer = await call(port, { method: 'POST', path, headers, body })
    assert.deepEqual([answer.status, answer.body['code']], [400, code], answer.text)
  }
  const proto = '{"__proto__":{"user_id":"ann"},"user_id":"bob","title":"first","title":"last","message":"m"}'
  const answer = await call(port, { method: 'POST', path, headers, body: proto })
  assert.deepEqual([answer.status, notificationIn(answer)['audience']], [200, 1])
  const report = await call(port, {
    path: `/api/v1/notifications/${idIn(answer)}`,
    headers: keyHeaders(mine),
  })
  assert.equal(notificationIn(report)['title'], 'last')
})

test('dry_run answers with audience and payload, rendered for the first recipient, and stores nothing', async () => {
  await database.query(
    `update profiles set attributes = '{"first_name": "Bob"}' where brand_id = $1 and id = (
       select profile_id from profile_identities where brand_id = $1 and value = 'bob')`,
    [brandId],
  )
  const list = async () => call(port, { path: '/api/v1/notifications?limit=1', headers: keyHeaders(mine) })
  const before = await list()
  const body = { user_id: 'bob', title: 'Hi {{ user.first_name }}', time: 60, dry_run: true }
  const answer = await push(port, mine, { body, headers: { 'idempotency-key': 'dry' } })
  assert.equal(answer.status, 200)
  assert.deepEqual([answer.body['dry_run'], answer.body['processed']], [true, 0])
  const { id, state, audience } = notificationIn(answer)
  assert.deepEqual([id, state, audience], [null, 'scheduled', 1])
  assert.ok(answer.text.includes('"notification":{"title":"Hi Bob","body":"World"}'), answer.text)
  const unknown = await push(port, mine, { body: { ...body, user_id: 'nobody' } })
  assert.equal(unknown.status, 404)
  assert.deepEqual(withoutId((await list()).body), withoutId(before.body))
})

test('400 for a template that asks for too much of anybody, the same when it is only tried out', async () => {
  const runaway = '{% for i in (1..1000000) %}x{% endfor %}'
  for (const dry_run of [false, true]) {
    const body = { user_id: 'bob', message: runaway, dry_run }
    const answer = await push(port, mine, { body })
    assert.deepEqual([answer.status, codesIn(answer)], [400, ['template_too_costly']])
  }
})

test('dry_run says so when nothing would be sent, because the texts come out empty or not at all', async () => {
  for (const [title, code] of [
    ['{{ user.nickname }}', 'text_empty'],
    ['{{ "now" | date: "%s", "Nowhere/At-All" }}', 'text_unrendered'],
  ] as const) {
    const body = { user_id: 'bob', title, message: '{{ user.nothing }}', dry_run: true }
    const answer = await push(port, mine, { body })
    assert.deepEqual([answer.status, answer.body['payload']], [200, null])
    assert.ok(answer.text.includes(`"code":"${code}"`), answer.text)
  }
})
