import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { SANDBOX_FAULT_LIMITS, SANDBOX_FAULTS } from '../../src/rules/sandbox.ts'
import type { TestBrand } from '../support/database/database.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { codesIn } from '../support/push/calls.ts'
import { openSandboxDesk } from '../support/push/sandbox-desk.ts'

const desk = await openSandboxDesk()
const server = await startServer({ deps: { sandbox: desk.deps } })
after(async () => Promise.all([server.close(), desk.close()]))

async function api(brand: TestBrand, method: string, body?: object): Promise<Answer> {
  const headers = keyHeaders(brand)
  return call(server.port, {
    method,
    path: '/sandbox/faults',
    headers,
    ...(body === undefined ? {} : { body }),
  })
}

function faultsIn({ body }: Answer): readonly JsonObject[] {
  return Array.isArray(body['faults']) ? body['faults'].filter(isJsonObject) : []
}

for (const fault of SANDBOX_FAULTS) {
  test(`200: ${fault} is set with its defaults, listed and cleared`, async () => {
    const brand = await server.brand()
    const made = await api(brand, 'POST', { fault })
    assert.equal(made.status, 200, made.text)
    const listed = faultsIn(await api(brand, 'GET'))
    assert.deepEqual(listed, [made.body['fault']])
    const { id, ends_at: endsAt, ...rule } = listed[0] ?? {}
    assert.equal(typeof id, 'number')
    assert.ok(Date.parse(String(endsAt)) > 0)
    assert.deepEqual(rule, {
      fault,
      status: fault === 'answer' ? 503 : null,
      retry_after: null,
      delay_ms: fault === 'late' ? 15_000 : null,
      share: 1,
      host: null,
      token: null,
      times: null,
      count: 0,
    })
    assert.equal((await api(brand, 'DELETE')).body['processed'], 1)
    assert.deepEqual(faultsIn(await api(brand, 'GET')), [])
  })
}

test('200: every field is kept', async () => {
  const brand = await server.brand()
  const draft = {
    fault: 'answer',
    status: 429,
    retry_after: 5,
    share: 0.25,
    host: 'apns',
    token: 'abc',
    times: 9,
  }
  const made = await api(brand, 'POST', { ...draft, seconds: 60 })
  assert.equal(made.status, 200, made.text)
  const [rule] = faultsIn(await api(brand, 'GET'))
  for (const [name, value] of Object.entries(draft)) assert.equal(rule?.[name], value, name)
})

test('400: a field that is out of its bounds, or belongs to another fault, is named', async () => {
  const brand = await server.brand()
  const { delayMsMax, retryAfterSecondsMax, secondsMax, tokenCharsMax } = SANDBOX_FAULT_LIMITS
  const wrong: readonly [object, string][] = [
    [{}, 'fault'],
    [{ fault: 'explode' }, 'fault'],
    [{ fault: 'answer', status: 299 }, 'status'],
    [{ fault: 'answer', status: 600 }, 'status'],
    [{ fault: 'answer', status: 400.5 }, 'status'],
    [{ fault: 'answer', retry_after: -1 }, 'retry_after'],
    [{ fault: 'answer', retry_after: retryAfterSecondsMax + 1 }, 'retry_after'],
    [{ fault: 'late', delay_ms: 0 }, 'delay_ms'],
    [{ fault: 'late', delay_ms: delayMsMax + 1 }, 'delay_ms'],
    [{ fault: 'hang', share: 0 }, 'share'],
    [{ fault: 'hang', share: 1.01 }, 'share'],
    [{ fault: 'hang', share: '1' }, 'share'],
    [{ fault: 'hang', host: 'example.com' }, 'host'],
    [{ fault: 'hang', token: '' }, 'token'],
    [{ fault: 'hang', token: 'x'.repeat(tokenCharsMax + 1) }, 'token'],
    [{ fault: 'hang', times: 0 }, 'times'],
    [{ fault: 'hang', seconds: 0 }, 'seconds'],
    [{ fault: 'hang', seconds: secondsMax + 1 }, 'seconds'],
    [{ fault: 'hang', status: 503 }, 'status'],
    [{ fault: 'late', retry_after: 5 }, 'retry_after'],
    [{ fault: 'answer', delay_ms: 5 }, 'delay_ms'],
  ]
  for (const [body, field] of wrong) {
    const refused = await api(brand, 'POST', body)
    assert.equal(refused.status, 400, JSON.stringify(body))
    assert.match(refused.text, new RegExp(`"field":"${field}"`), JSON.stringify(body))
  }
  assert.deepEqual(faultsIn(await api(brand, 'GET')), [])
})

test('409: a brand has a bounded number of faults', async () => {
  const brand = await server.brand()
  for (let count = 0; count < SANDBOX_FAULT_LIMITS.brandRulesMax; count += 1) {
    assert.equal((await api(brand, 'POST', { fault: 'hang' })).status, 200)
  }
  const refused = await api(brand, 'POST', { fault: 'hang' })
  assert.equal(refused.status, 409)
  assert.deepEqual(codesIn(refused), ['too_many_sandbox_faults'])
  assert.equal((await api(brand, 'DELETE')).body['processed'], SANDBOX_FAULT_LIMITS.brandRulesMax)
})

test('a brand neither sees nor ends the faults of another brand', async () => {
  const [one, other] = [await server.brand(), await server.brand()]
  await api(one, 'POST', { fault: 'hang' })
  assert.deepEqual(faultsIn(await api(other, 'GET')), [])
  assert.equal((await api(other, 'DELETE')).body['processed'], 0)
  assert.equal(faultsIn(await api(one, 'GET')).length, 1)
})

test('404 on a machine without a sandbox', async () => {
  const bare = await startServer()
  const headers = keyHeaders(await bare.brand())
  for (const [method, body] of [['GET'], ['POST', { fault: 'hang' }], ['DELETE']] as const) {
    const path = '/sandbox/faults'
    const answer = await call(bare.port, {
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body }),
    })
    assert.deepEqual([answer.status, codesIn(answer)], [404, ['sandbox_missing']])
  }
  await bare.close()
})

test('the control of the sandbox refuses a body that is not a rule', async () => {
  const rule = { fault: 'hang', status: 503, delayMs: 1, share: 1, seconds: 1 }
  assert.equal(await askControl(JSON.stringify(rule)), 200)
  for (const change of [
    { brandId: 'x' },
    { brandId: 0 },
    { fault: 'x' },
    { status: 200 },
    { retryAfter: 'x' },
    { delayMs: 0 },
    { share: 0 },
    { host: 'x' },
    { token: 5 },
    { times: 0 },
    { seconds: 1e9 },
  ]) {
    assert.equal(await askControl(JSON.stringify({ ...rule, ...change })), 400, JSON.stringify(change))
  }
  for (const body of ['', '[]', 'null', '{']) assert.equal(await askControl(body), 400, body)
})

async function askControl(body: string): Promise<number> {
  const headers = { authorization: `Bearer ${desk.token}` }
  return (await fetch(`${desk.controlUrl}/faults`, { method: 'POST', headers, body })).status
}
