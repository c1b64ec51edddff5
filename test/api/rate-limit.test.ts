import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { LIMITS } from '../../src/rules/limits.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { tenantRoute } from '../support/reference/routes.ts'

async function fail(): Promise<never> {
  throw new Error('broken')
}

const server = await startServer({
  routes: [
    tenantRoute({ path: '/api/v1/android/send', rateLimit: 'push' }),
    tenantRoute({ path: '/api/v1/ios/send', rateLimit: 'push' }),
    tenantRoute({ path: '/broken', rateLimit: 'push', handler: fail }),
  ],
})
after(server.close)

type Headers = Readonly<Record<string, string>>

const send = async (
  headers: Headers,
  path = '/api/v1/android/send',
  body: string | object = {},
): Promise<Answer> => call(server.port, { path, headers, body })

/** Many at once, but never more than the process takes. */
async function sendMany(count: number, one: () => Promise<Answer>): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  while (answers.length < count) {
    const batch = Math.min(50, count - answers.length)
    answers.push(...(await Promise.all(Array.from({ length: batch }, one))))
  }
  return answers
}

const max = LIMITS.pushRequestsMax

test('429 on the 501st request of a minute, in any spelling, and on no other', async () => {
  const headers = keyHeaders(await server.brand())
  const spellings = ['/api/v1/android/send', '/API/v1/Android/send/', '/api/V1/android/SEND']
  let count = 0
  const answers = await sendMany(max + 5, async () => send(headers, spellings[count++ % 3]))
  assert.equal(answers.filter(({ status }) => status === 200).length, max)
  const refused = answers.filter(({ status }) => status !== 200)
  assert.equal(refused.length, 5)
  for (const { status, body, headers: replied } of refused) {
    assert.equal(status, 429)
    assert.equal(body['code'], 'rate_limited')
    const wait = Number(replied['retry-after'])
    assert.ok(wait >= 1 && wait <= LIMITS.pushWindowMs / 1000, String(wait))
    assert.equal(replied['ratelimit-policy'], `"push";q=${max};w=60`)
    assert.match(String(replied['ratelimit']), /^"push";r=0;t=\d+$/)
  }
  assert.equal(
    (await send(headers, '/api/v1/ios/send')).status,
    200,
    'another endpoint has a budget of its own',
  )
  const others = keyHeaders(await server.brand())
  assert.equal((await send(others)).status, 200, 'another brand has a budget of its own')
})

test('every reply tells what is left, and concurrent ones never the same', async () => {
  const headers = keyHeaders(await server.brand())
  const answers = await sendMany(40, async () => send(headers))
  const left = answers.map(({ headers: replied }) =>
    Number(/r=(\d+)/.exec(String(replied['ratelimit']))?.[1]),
  )
  assert.deepEqual(
    left.toSorted((a, b) => b - a),
    Array.from({ length: 40 }, (_, index) => max - 1 - index),
  )
})

function leftIn({ headers }: Answer): string {
  return String(headers['ratelimit']).replace(/;t=\d+/, '')
}

test('invalid requests count, and carry the headers; so do failures of ours', async () => {
  const headers = keyHeaders(await server.brand())
  const bad = await send(headers, undefined, '{')
  assert.equal(bad.status, 400)
  assert.equal(leftIn(bad), `"push";r=${max - 1}`)
  assert.equal(leftIn(await send(headers)), `"push";r=${max - 2}`)
  const broken = await send(headers, '/broken')
  assert.equal(broken.status, 500)
  assert.equal(leftIn(broken), `"push";r=${max - 1}`)
})

test('requests without a key or a scope do not count, and carry no such headers', async () => {
  const brand = await server.brand()
  const headers = keyHeaders(brand)
  const stranger = await send({ 'x-api-key': 'wrong', 'x-brand-id': brand.externalId })
  const visitor = await send({ 'x-api-key': brand.publishableKey, 'x-brand-id': brand.externalId })
  assert.deepEqual([stranger.status, visitor.status], [401, 403])
  assert.equal(stranger.headers['ratelimit'], undefined)
  assert.match(String((await send(headers)).headers['ratelimit']), new RegExp(`r=${max - 1};`))
})
