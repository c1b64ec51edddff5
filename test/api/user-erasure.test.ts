import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { encodeJson, isJsonObject } from '../../src/domain/values/json.ts'
import { releaseSends } from '../../src/store/push/release.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { idIn, push } from '../support/push/calls.ts'
import { addEndpoint } from '../support/webhooks/webhooks.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)
const users = new UserCalls(server)

const LATER = { time: 3_600 }

async function register(brand: TestBrand, device: object, key?: string): Promise<Answer> {
  const headers = { ...keyHeaders(brand), ...(key === undefined ? {} : { 'idempotency-key': key }) }
  return call(port, { path: '/api/v1/subscriptions', headers, body: { platform: 'android', ...device } })
}

async function erase(brand: TestBrand, userID: string): Promise<void> {
  assert.equal((await users.post(brand, 'delete', { nv: [{ userID }] })).status, 200)
}

async function readNotification(brand: TestBrand, id: string): Promise<Answer> {
  return call(port, { path: `/api/v1/notifications/${id}`, headers: keyHeaders(brand) })
}

/** The ids of the notifications in a person's export. */
async function exportedNotifications(brand: TestBrand, userID: string): Promise<readonly string[]> {
  const { records } = await users.read(brand, userID)
  const rows = isJsonObject(records) ? records['notifications'] : null
  assert.ok(Array.isArray(rows))
  return rows.map((row: unknown) => (isJsonObject(row) ? String(row['id']) : ''))
}

test('a notification to a device is exported and erased with the person, however it was addressed', async () => {
  const brand = await server.brand()
  await register(brand, { token: 't-a', user_id: 'a', subscription_id: 'sub-a', android_id: 'dev-a' })
  const addresses = [
    { user_id: 'a' },
    { subscription_id: 'sub-a' },
    { android_id: 'dev-a' },
    { 'user_id/subscription_id': 'sub-a' },
    { user_id: 'a', android_id: 'dev-a' },
  ]
  const ids: string[] = []
  for (const address of addresses) {
    for (const time of [{}, LATER]) ids.push(idIn(await push(port, brand, { body: { ...address, ...time } })))
  }
  assert.deepEqual((await exportedNotifications(brand, 'a')).toSorted(), ids.toSorted())

  await erase(brand, 'a')
  for (const id of ids) {
    const { body } = await readNotification(brand, id)
    if (isJsonObject(body['notification'])) assert.equal(body['notification']['state'], 'cancelled')
  }
  await catchUp(deps.database, brand.brandId)
  for (const id of ids) assert.equal((await readNotification(brand, id)).status, 404)
  const { rows } = await deps.database.query('select from chunks where brand_id = $1', [brand.brandId])
  assert.equal(rows.length, 0)
})

test('a notification to a device is erased with its first person and with the person who got it later', async () => {
  const brand = await server.brand()
  await register(brand, { token: 't-1', subscription_id: 'passed-on', user_id: 'first' })
  await register(brand, { token: 't-2', subscription_id: 'found' })
  const first = idIn(await push(port, brand, { body: { subscription_id: 'passed-on' } }))
  const nobody = idIn(await push(port, brand, { body: { subscription_id: 'found' } }))
  await register(brand, { token: 't-1', subscription_id: 'passed-on', user_id: 'second' })
  await register(brand, { token: 't-2', subscription_id: 'found', user_id: 'second' })
  await erase(brand, 'first')
  await catchUp(deps.database, brand.brandId)
  assert.equal((await readNotification(brand, first)).status, 404)
  assert.equal((await readNotification(brand, nobody)).status, 200)
  await erase(brand, 'second')
  await catchUp(deps.database, brand.brandId)
  assert.equal((await readNotification(brand, nobody)).status, 404)
})

test('a scheduled notification to a device goes to that device alone', async () => {
  const brand = await server.brand()
  for (const name of ['one', 'two'])
    await register(brand, { token: `t-${name}`, subscription_id: name, user_id: 'a' })
  const id = idIn(await push(port, brand, { body: { subscription_id: 'one', ...LATER } }))
  await register(brand, { token: 't-one', subscription_id: 'one', user_id: 'b' })
  await releaseSends(deps.database, { rowsMax: 100, now: Date.now() + 4_000_000 })
  const { body } = await readNotification(brand, id)
  assert.ok(isJsonObject(body['notification']))
  assert.equal(body['notification']['audience'], 1)
})

test('a stored reply that shows an erased person or their device is not replayed', async () => {
  const brand = await users.mergingBrand()
  const known = { token: 't-a', user_id: 'a', subscription_id: 'sub-a', android_id: 'dev-a' }
  const stranger = { token: 't-b', subscription_id: 'sub-b', android_id: 'dev-b' }
  const absorbed = { token: 't-c', user_id: 'c', subscription_id: 'sub-c' }
  for (const [key, device] of Object.entries({ known, stranger, absorbed })) {
    assert.equal((await register(brand, device, key)).status, 200)
    assert.equal((await register(brand, device, key)).headers['idempotency-replayed'], 'true')
  }
  await register(brand, { ...stranger, user_id: 'a' })
  for (const userID of ['a', 'c'])
    await users.post(brand, 'create', { nv: [{ userID, email: 'a@x.example' }] })
  await catchUp(deps.database, brand.brandId)
  const { records } = await users.read(brand, 'a')
  assert.match(encodeJson(records), /"idempotency_keys":\[.*"known".*\]/)

  await erase(brand, 'a')
  const { rows } = await deps.database.query('select key from idempotency_keys where brand_id = $1', [
    brand.brandId,
  ])
  assert.deepEqual(rows, [])
  assert.equal((await register(brand, known, 'known')).headers['idempotency-replayed'], undefined)
})

test('webhook messages about a device from before it had a person are erased with the person', async () => {
  const brand = await server.brand()
  await addEndpoint(deps.database, brand.brandId, ['subscription.created'])
  await register(brand, { token: 't-a', subscription_id: 'sub-a' })
  await register(brand, { token: 't-b', subscription_id: 'sub-b' })
  await register(brand, { token: 't-a', subscription_id: 'sub-a', user_id: 'a' })
  await erase(brand, 'a')
  await catchUp(deps.database, brand.brandId)
  const { rows } = await deps.database.query<{ id: string }>(
    `select data ->> 'subscription_id' as id from webhook_messages where brand_id = $1`,
    [brand.brandId],
  )
  assert.deepEqual(rows, [{ id: 'sub-b' }])
})
