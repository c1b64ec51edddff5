import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fault } from '../../src/domain/fault.ts'
import { replyOnce } from '../../src/http/idempotency.ts'
import { refuse, replySuccess } from '../../src/http/reply.ts'
import { LIMITS } from '../../src/rules/limits.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { tenantRoute } from '../support/reference/routes.ts'

let now = Date.UTC(2026, 0, 1)
let works = 0
let pause: Promise<void> = Promise.resolve()
let entered = Promise.withResolvers<void>()

const create = tenantRoute({
  path: '/things/{name}',
  isIdempotent: true,
  querySchema: { type: 'object', properties: { x: { type: 'string' } } },
  handler: async (deps, request) =>
    replyOnce(deps, request, async (tx) => {
      works += 1
      entered.resolve()
      await pause
      if (JSON.stringify(request.body).includes('bad'))
        return refuse({ faults: [fault('field_missing', 'x')] })
      await tx.query('select set_config($1, $2, true)', ['beckon.test', 'x'])
      return replySuccess(
        { thing: { id: 9_007_199_254_740_993n, work: works } },
        { headers: { 'x-work': 'done' } },
      )
    }),
})

const server = await startServer({ routes: [create, tenantRoute()], clock: { now: () => now } })
const brand = await server.brand()
after(server.close)

async function post(key: string | null, body: object = {}, path = '/things/a'): Promise<Answer> {
  const headers = key === null ? keyHeaders(brand) : { ...keyHeaders(brand), 'idempotency-key': key }
  return call(server.port, { path, headers, body })
}

test('200 twice with one key: the work is done once and its reply comes back, digit by digit', async () => {
  const worked = works
  const first = await post('twice', { a: 1 })
  const again = await post('twice', { a: 1 }, '/THINGS/a/')
  assert.equal(works, worked + 1)
  assert.equal(first.headers['idempotency-replayed'], undefined)
  assert.equal(again.headers['idempotency-replayed'], 'true')
  assert.equal(again.headers['x-work'], 'done')
  assert.deepEqual(again.body['thing'], first.body['thing'])
  assert.ok(again.text.includes('9007199254740993'))
})

test('200 and new work without a key, each time', async () => {
  const worked = works
  await post(null)
  await post(null)
  assert.equal(works, worked + 2)
})

test('422 for the same key with another body, address or parameter', async () => {
  await post('once', { a: 1 })
  for (const answer of [await post('once', { a: 2 }), await post('once', { a: 1 }, '/things/b')]) {
    assert.equal(answer.status, 422)
    assert.equal(answer.body['code'], 'idempotency_mismatch')
  }
  assert.equal((await post('once', { a: 1 }, '/things/a?x=1')).status, 422)
})

test('another brand may use the same key', async () => {
  await post('shared', { a: 1 })
  const headers = { ...keyHeaders(await server.brand()), 'idempotency-key': 'shared' }
  const answer = await call(server.port, { path: '/things/a', headers, body: { a: 2 } })
  assert.equal(answer.status, 200)
})

test('409 while the first is running, and its reply afterwards', async () => {
  const gate = Promise.withResolvers<void>()
  pause = gate.promise
  entered = Promise.withResolvers<void>()
  const first = post('slow')
  await entered.promise
  const second = await post('slow')
  assert.equal(second.status, 409)
  assert.equal(second.body['code'], 'idempotency_running')
  assert.equal(second.headers['retry-after'], '1')
  gate.resolve()
  assert.equal((await first).status, 200)
  assert.equal((await post('slow')).headers['idempotency-replayed'], 'true')
})

test('many at once with one key do the work once', async () => {
  const worked = works
  const answers = await Promise.all(Array.from({ length: 8 }, async () => post('herd')))
  assert.equal(works, worked + 1)
  assert.ok(answers.every(({ status }) => status === 200 || status === 409))
})

test('a refusal is not kept: the same key works once the body is mended', async () => {
  assert.equal((await post('mend', { bad: 1 })).status, 400)
  assert.equal((await post('mend', { good: 1 })).status, 200)
})

test('a reply is kept for a day', async () => {
  await post('day')
  now += LIMITS.idempotencyHours * 3_600_000 - 1
  assert.equal((await post('day')).headers['idempotency-replayed'], 'true')
  now += 1
  assert.equal((await post('day')).headers['idempotency-replayed'], undefined)
})

test('400 for a key that is too long or holds what no header should', async () => {
  assert.equal((await post('x'.repeat(LIMITS.idempotencyKeyCharsMax))).status, 200)
  for (const key of ['x'.repeat(LIMITS.idempotencyKeyCharsMax + 1), 'a b', 'é', '']) {
    const { status, body } = await post(key)
    assert.equal(status, 400, key)
    assert.deepEqual(Reflect.get(Object(body['errors']), 0).field, 'idempotency-key')
  }
})

test('a row that takes no key leaves the header alone', async () => {
  const headers = { ...keyHeaders(brand), 'idempotency-key': 'a b' }
  assert.equal((await call(server.port, { path: '/own', headers, body: {} })).status, 200)
})
