import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { LIMITS } from '../../src/rules/limits.ts'
import { WEBHOOK_RULES } from '../../src/rules/webhooks.ts'
import { enqueueWebhooks } from '../../src/store/webhooks/outbox.ts'
import { purgeOrphans } from '../../src/store/webhooks/purge.ts'
import type { TestBrand } from '../support/database/database.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { outboxOf } from '../support/webhooks/webhooks.ts'

const server = await startServer()
after(server.close)

const DRAFT = { url: 'https://hooks.example/in', event_types: ['profile.created'] }
const EVENT = { type: 'profile.created', at: 0, profileId: null, data: {} } as const

async function api(brand: TestBrand, method: string, path: string, body?: object): Promise<Answer> {
  const headers = keyHeaders(brand)
  return call(server.port, {
    method,
    path: `/api/v1/webhooks${path}`,
    headers,
    ...(body === undefined ? {} : { body }),
  })
}

function webhookOf({ body }: Answer): JsonObject {
  return isJsonObject(body['webhook']) ? body['webhook'] : {}
}

test('200: the secret is shown once, when it is made', async () => {
  const brand = await server.brand()
  const made = await api(brand, 'POST', '', DRAFT)
  assert.equal(made.status, 200)
  const { id, secret, enabled, batch_max: batchMax } = webhookOf(made)
  assert.match(String(secret), /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.deepEqual([enabled, batchMax], [true, 1])
  const read = await api(brand, 'GET', `/${String(id)}`)
  assert.deepEqual(webhookOf(read)['secrets'], [{ expires_at: null }])
  const list = await api(brand, 'GET', '')
  for (const { text } of [read, list]) assert.ok(!text.includes('whsec_'))
})

test('200: a replay with an Idempotency-Key makes no second endpoint and shows no secret', async () => {
  const brand = await server.brand()
  const headers = { ...keyHeaders(brand), 'idempotency-key': 'once' }
  const [first, again] = [
    await call(server.port, { path: '/api/v1/webhooks', headers, body: DRAFT }),
    await call(server.port, { path: '/api/v1/webhooks', headers, body: DRAFT }),
  ]
  assert.equal(webhookOf(again)['id'], webhookOf(first)['id'])
  assert.equal(webhookOf(again)['secret'], null)
})

test('400: an address that leads inside, plain http, types that there are not', async () => {
  const brand = await server.brand()
  for (const change of [
    { url: 'https://127.0.0.1/' },
    { url: 'http://hooks.example/' },
    { event_types: [] },
    { event_types: ['everything'] },
    { batch_max: WEBHOOK_RULES.batchMax + 1 },
  ]) {
    const { status } = await api(brand, 'POST', '', { ...DRAFT, ...change })
    assert.equal(status, 400, JSON.stringify(change))
  }
})

test('404: what is another brand’s, what never was, and what was deleted', async () => {
  const [mine, other] = [await server.brand(), await server.brand()]
  const id = String(webhookOf(await api(other, 'POST', '', DRAFT))['id'])
  const calls = [
    ['GET', `/${id}`],
    ['PATCH', `/${id}`, {}],
    ['POST', `/${id}/rotate`, {}],
    ['POST', `/${id}/redrive`, { from: '2026-01-01T00:00:00Z' }],
    ['GET', `/${id}/messages`],
    ['POST', `/${id}/test`],
    ['DELETE', `/${id}`],
    ['GET', '/nothing'],
  ] as const
  for (const [method, path, body] of calls) {
    const { status, body: reply } = await api(mine, method, path, body)
    assert.deepEqual([status, reply['code']], [404, 'webhook_not_found'], `${method} ${path}`)
  }
  assert.equal((await api(other, 'DELETE', `/${id}`)).status, 200)
  assert.equal((await api(other, 'GET', `/${id}`)).status, 404)
})

test('404: a message that the endpoint does not have', async () => {
  const brand = await server.brand()
  const id = String(webhookOf(await api(brand, 'POST', '', DRAFT))['id'])
  for (const message of ['nothing', 'msg_00000000-0000-7000-8000-000000000000']) {
    const { status, body } = await api(brand, 'GET', `/${id}/messages/${message}`)
    assert.deepEqual([status, body['code']], [404, 'webhook_message_not_found'])
  }
})

test('409: more endpoints than a brand may have, also when they are asked for at once', async () => {
  const brand = await server.brand()
  const statuses = await Promise.all(
    Array.from(
      { length: WEBHOOK_RULES.endpointsMax + 2 },
      async () => (await api(brand, 'POST', '', DRAFT)).status,
    ),
  )
  assert.equal(statuses.filter((status) => status === 200).length, WEBHOOK_RULES.endpointsMax)
  assert.equal(statuses.filter((status) => status === 409).length, 2)
})

test('429: more tests in a minute than a server that hangs may hold up', async () => {
  const [brand, other] = [await server.brand(), await server.brand()]
  const missing = '/00000000-0000-7000-8000-000000000000/test'
  const statuses = await Promise.all(
    Array.from(
      { length: LIMITS.trialRequestsMax + 1 },
      async () => (await api(brand, 'POST', missing)).status,
    ),
  )
  assert.equal(statuses.filter((status) => status === 404).length, LIMITS.trialRequestsMax)
  assert.equal(statuses.filter((status) => status === 429).length, 1)
  assert.equal((await api(other, 'POST', missing)).status, 404)
})

test('400: a span of time that begins at no instant, or ends before it begins, is told so', async () => {
  const brand = await server.brand()
  const id = String(webhookOf(await api(brand, 'POST', '', DRAFT))['id'])
  const { status, text } = await api(brand, 'POST', `/${id}/redrive`, { from: 'yesterday' })
  assert.equal(status, 400)
  assert.match(text, /it must be an ISO 8601 instant/)
  const span = { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }
  const turned = await api(brand, 'POST', `/${id}/redrive`, span)
  assert.deepEqual([turned.status, turned.body['code']], [400, 'field_conflict'])
})

test('two rotations at once make two secrets that sign, and neither takes the other’s away', async () => {
  const brand = await server.brand()
  for (let round = 0; round < 5; round += 1) {
    const id = String(webhookOf(await api(brand, 'POST', '', DRAFT))['id'])
    const rotations = [1, 2].map(async () => api(brand, 'POST', `/${id}/rotate`, { overlap_hours: 1 }))
    const statuses = (await Promise.all(rotations)).map(({ status }) => status)
    const { secrets } = webhookOf(await api(brand, 'GET', `/${id}`))
    assert.deepEqual([statuses, Array.isArray(secrets) ? secrets.length : 0], [[200, 200], 3])
  }
})

test('403: a key without the scope', async () => {
  const brand = await server.brand({ scopes: ['push'] })
  assert.equal((await api(brand, 'GET', '')).status, 403)
})

test('an endpoint that was disabled is told nothing new, and one that was deleted leaves nothing behind', async () => {
  const { database } = server.deps
  const brand = await server.brand()
  const { brandId } = brand
  const id = String(webhookOf(await api(brand, 'POST', '', DRAFT))['id'])
  const happen = async () => database.asBrand(brandId, async (tx) => enqueueWebhooks(tx, brandId, [EVENT]))
  assert.equal(await happen(), 1)
  const disabled = webhookOf(await api(brand, 'PATCH', `/${id}`, { enabled: false }))
  assert.deepEqual([disabled['enabled'], disabled['disabled_reason']], [false, 'asked'])
  assert.equal(await happen(), 0)
  await api(brand, 'DELETE', `/${id}`)
  assert.equal(await purgeOrphans(database, { now: Date.now(), rowsMax: 100 }), 1)
  assert.deepEqual(await outboxOf(database, brandId), [])
})
