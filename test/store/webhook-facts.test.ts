import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { WEBHOOK_EVENTS, type WebhookEventType } from '../../src/rules/webhooks.ts'
import { saveBrandSettings } from '../../src/store/brand/brands.ts'
import { endChunks } from '../../src/store/push/end-chunks.ts'
import { retireSubscriptions } from '../../src/store/subscriptions/retire.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { claimOne, drain, planDue } from '../support/push/drain.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { addEndpoint, outboxOf } from '../support/webhooks/webhooks.ts'

const server = await startServer()
after(server.close)

const ALL = Object.keys(WEBHOOK_EVENTS).filter((name): name is WebhookEventType => name in WEBHOOK_EVENTS)

/** A brand with an endpoint that asked for everything. */
async function listening(): Promise<TestBrand> {
  const brand = await server.brand()
  await addEndpoint(server.deps.database, brand.brandId, ALL)
  return brand
}

/** What was told since the brand was made: types, each with some of its data. */
async function told(brand: TestBrand, ...fields: readonly string[]): Promise<readonly JsonObject[]> {
  const rows = await outboxOf(server.deps.database, brand.brandId)
  return rows.map(({ type, data }) => ({
    type,
    ...Object.fromEntries(fields.map((field) => [field, data[field] ?? null])),
  }))
}

async function post(brand: TestBrand, path: string, body: object, method = 'POST'): Promise<JsonObject> {
  const answer = await call(server.port, {
    method,
    path: `/api/v1/${path}`,
    headers: keyHeaders(brand),
    body,
  })
  assert.equal(answer.status, 200, answer.text)
  const parsed: unknown = answer.body
  return isJsonObject(parsed) ? parsed : {}
}

test('deliveries are told with their verdicts, and the notification when nothing is left of it', async () => {
  const brand = await listening()
  const { brandId } = brand
  const { database } = server.deps
  const ids = await seedSubscriptions(database, { brandId, userId: 'ann', count: 3 })
  const target = { kind: 'user', userId: 'ann' } as const
  const id = await acceptNotification(database, { brandId, target, callerNotificationId: 2n ** 60n })
  await drain(database, {
    judge: (recipient) => {
      if (recipient.id === ids[1]) return { state: 'failed', reason: 'bad' }
      return recipient.id === ids[2] ? { state: 'cancelled', reason: 'cancelled' } : {}
    },
  })
  const common = { id, notification_id: 2n ** 60n, user_id: 'ann' }
  const rows = await told(brand, 'id', 'notification_id', 'user_id', 'reason')
  // No order is promised within one statement.
  const sorted = rows.toSorted((one, other) => String(one['type']).localeCompare(String(other['type'])))
  assert.deepEqual(sorted, [
    { type: 'delivery.accepted', ...common, reason: null },
    { type: 'delivery.failed', ...common, reason: 'bad' },
    { type: 'notification.sent', ...common, user_id: null, reason: null },
  ])
  const [row] = await outboxOf(database, brandId)
  assert.ok(row?.profileId !== null)
})

test('a notification to nobody is told at once, one that could not be sent at all is not', async () => {
  const brand = await listening()
  const { brandId } = brand
  const { database } = server.deps
  await acceptNotification(database, { brandId, target: { kind: 'all' } })
  await planDue(database)
  assert.deepEqual(await told(brand, 'audience'), [{ type: 'notification.sent', audience: 0 }])
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  await acceptNotification(database, { brandId, target: { kind: 'user', userId: 'ann' } })
  const chunk = await claimOne(database)
  assert.ok(chunk !== null)
  await endChunks(database, [{ chunk, end: { state: 'failed', reason: 'no_credentials' } }])
  assert.equal((await told(brand)).length, 1)
})

test('what devices tell is told on, each thing once', async () => {
  const brand = await listening()
  const { brandId } = brand
  const { database, receipts } = server.deps
  const [subscriptionId = 0n] = await seedSubscriptions(database, { brandId, subscriptionId: 's-1' })
  const id = await acceptNotification(database, { brandId, target: { kind: 'all' } })
  const receipt = receipts.sign({ brandId, notificationId: id, subscriptionId }, Date.now())
  const kinds = [
    { kind: 'received' },
    { kind: 'clicked' },
    { kind: 'button', button: 2 },
    { kind: 'dismissed' },
  ]
  const body = { receipts: kinds.map((kind) => ({ receipt, ...kind })) }
  for (let round = 0; round < 2; round += 1) await post(brand, 'receipts', body)
  assert.deepEqual(await told(brand, 'subscription_id', 'button'), [
    { type: 'delivery.received', subscription_id: 's-1', button: null },
    { type: 'delivery.clicked', subscription_id: 's-1', button: 2 },
    { type: 'delivery.dismissed', subscription_id: 's-1', button: null },
  ])
})

test('a click beside the buttons is told without a number', async () => {
  const brand = await listening()
  const { brandId } = brand
  const { database, receipts } = server.deps
  const devices = await seedSubscriptions(database, { brandId, count: 2 })
  const id = await acceptNotification(database, { brandId, target: { kind: 'all' } })
  const [first = '', second = ''] = devices.map((subscriptionId) =>
    receipts.sign({ brandId, notificationId: id, subscriptionId }, Date.now()),
  )
  const tapped = { receipt: second, kind: 'button', button: 1 }
  await post(brand, 'receipts', { receipts: [{ receipt: first, kind: 'clicked' }, tapped] })
  assert.deepEqual(await told(brand, 'button'), [
    { type: 'delivery.clicked', button: null },
    { type: 'delivery.clicked', button: 1 },
  ])
})

test('a device is told when it comes, goes, comes back, dies, and is replaced', async () => {
  const brand = await listening()
  const { brandId } = brand
  const device = { platform: 'android', token: 'one', subscription_id: 's-1', user_id: 'ann' }
  await post(brand, 'subscriptions', device)
  await post(brand, 'subscriptions', device)
  await post(brand, 'subscriptions/s-1/unsubscribe', {})
  await post(brand, 'subscriptions/s-1/unsubscribe', {})
  await post(brand, 'subscriptions', device)
  const { rows } = await server.deps.database.query<{ id: bigint }>(
    'select id from subscriptions where brand_id = $1',
    [brandId],
  )
  const dead = { id: rows[0]?.id ?? 0n, reason: 'UNREGISTERED', registeredAt: Date.now(), goneAt: null }
  assert.equal(await retireSubscriptions(server.deps.database, brandId, [dead, dead]), 1)
  assert.deepEqual(await told(brand, 'state', 'user_id', 'reason'), [
    { type: 'profile.created', state: null, user_id: 'ann', reason: null },
    { type: 'subscription.created', state: 'live', user_id: 'ann', reason: null },
    { type: 'subscription.gone', state: 'unsubscribed', user_id: 'ann', reason: 'asked' },
    { type: 'subscription.created', state: 'live', user_id: 'ann', reason: null },
    { type: 'subscription.gone', state: 'gone', user_id: 'ann', reason: 'UNREGISTERED' },
  ])
})

test('people are told when they become known, by any way, merge, and are erased', async () => {
  const brand = await listening()
  const { brandId } = brand
  const { database } = server.deps
  const settings = {
    name: 'm',
    timeZone: 'UTC',
    profileMerging: true,
    allowedOrigins: [],
    identityVerification: false,
    frequencyCap: null,
    defaultSound: null,
    language: null,
    controlPercent: 0,
    quietHours: null,
    approvalAbove: null,
  }
  await saveBrandSettings(database, brandId, settings)
  await post(brand, 'user/create', { nv: [{ userID: 'ann' }, { userID: 'ann' }] })
  await logEntries(server.port, brand, [entryOf({ userID: 'bob' }), entryOf({ userID: 'ann' })])
  await post(brand, 'user/create', { nv: [{ userID: 'cid', email: 'c@x.example' }] })
  await post(brand, 'user/create', { nv: [{ userID: 'bob', email: 'c@x.example' }] })
  await post(brand, 'user/delete', { nv: [{ userID: 'bob' }] })
  const names = [
    { kind: 'user_id', value: 'bob' },
    { kind: 'user_id', value: 'cid' },
    { kind: 'email', value: 'c@x.example' },
  ]
  const sorted = await told(brand, 'user_id', 'identities', 'absorbed')
  assert.deepEqual(
    sorted.map(({ type, user_id: userId }) => [type, userId]),
    [
      ['profile.created', 'ann'],
      ['profile.created', 'bob'],
      ['profile.created', 'cid'],
      ['profile.merged', 'bob'],
      ['profile.erased', 'bob'],
    ],
  )
  assert.deepEqual(sorted[3]?.['identities'], names)
  assert.deepEqual(sorted[4]?.['identities'], names)
  assert.deepEqual(
    new Set(JSON.stringify(sorted[3]?.['absorbed']).match(/cid|c@x\.example/g)),
    new Set(['cid', 'c@x.example']),
  )
})

test('what was told of a person goes with the person; that they are erased is still told', async () => {
  const brand = await listening()
  const { brandId } = brand
  const { database } = server.deps
  await post(brand, 'user/create', { nv: [{ userID: 'ann' }, { userID: 'bob' }] })
  await post(brand, 'subscriptions', { platform: 'android', token: 'one', user_id: 'ann' })
  await post(brand, 'user/delete', { nv: [{ userID: 'ann' }] })
  await catchUp(database, brandId)
  assert.deepEqual(await told(brand, 'user_id'), [
    { type: 'profile.created', user_id: 'bob' },
    { type: 'profile.erased', user_id: 'ann' },
  ])
})
