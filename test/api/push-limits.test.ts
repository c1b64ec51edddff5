import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { HttpServer } from '../../src/http/edge/server.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { LIMITS } from '../../src/rules/limits.ts'
import { type Answer, PATIENT_WITH_CALLERS, startServer } from '../support/processes/server.ts'
import { idIn, push } from '../support/push/calls.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { port, deps, brand, close } = await startServer()
const { database } = deps

/** More servers on the same database: what they share is what processes share. */
const servers = Array.from({ length: 2 }, () => new HttpServer(deps, ROUTES, PATIENT_WITH_CALLERS))
const addresses = await Promise.all(
  servers.map(async (server) => server.listen({ host: '127.0.0.1', port: 0 })),
)
const ports = [port, ...addresses.map((address) => address.port)]
after(async () => {
  await Promise.all(servers.map(async (server) => server.stop()))
  await close()
})

/** Many at once, but never more than a process takes. */
async function many(count: number, one: (index: number) => Promise<Answer>): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  while (answers.length < count) {
    const from = answers.length
    const size = Math.min(100, count - from)
    answers.push(...(await Promise.all(Array.from({ length: size }, async (_, at) => one(from + at)))))
  }
  return answers
}

test('429 on the 501st request, from several servers at once and in any spelling of the address', async () => {
  const mine = await brand()
  const spellings = ['/api/v1/web/broadcast/all', '/API/V1/Web/Broadcast/All/', '/api/v1/Web/broadcast/all']
  const answers = await many(LIMITS.pushRequestsMax + 20, async (index) =>
    push(ports[index % ports.length] ?? port, mine, {
      path: spellings[index % spellings.length] ?? '',
      body: { title: index % 2 === 0 ? 'fine' : 7 },
    }),
  )
  assert.equal(answers.filter(({ status }) => status === 429).length, 20)
  assert.equal(answers.filter(({ status }) => status === 200).length, 250)
  for (const { headers } of answers) {
    assert.equal(headers['ratelimit-policy'], `"push";q=${LIMITS.pushRequestsMax};w=60`)
    assert.match(String(headers['ratelimit']), /^"push";r=\d+;t=\d+$/)
  }
  const elsewhere = await push(port, mine, { platform: 'ios', mode: 'all' })
  assert.equal(elsewhere.status, 200)
  assert.equal((await push(port, await brand(), { platform: 'web', mode: 'all' })).status, 200)
})

test('1000 requests with one Idempotency-Key, on several servers at once, make one notification', async () => {
  const mine = await brand()
  await seedSubscriptions(database, { brandId: mine.brandId, userId: 'ann' })
  const headers = { 'idempotency-key': 'one-key' }
  const answers = await many(1_000, async (index) =>
    push(ports[index % ports.length] ?? port, mine, { headers, body: { user_id: 'ann' } }),
  )
  const done = answers.filter(({ status }) => status === 200)
  assert.ok(done.length > 0)
  assert.equal(new Set(done.map(idIn)).size, 1)
  // The others came while the first was running, or after the 500th of the minute.
  for (const { status } of answers) assert.ok([200, 409, 429].includes(status), String(status))
  const { rows } = await database.query<{ made: number }>(
    'select count(*)::integer as made from notifications where brand_id = $1',
    [mine.brandId],
  )
  assert.deepEqual(rows, [{ made: 1 }])
})

test('422 for the same key with another body', async () => {
  const mine = await brand()
  const headers = { 'idempotency-key': 'once' }
  assert.equal((await push(port, mine, { mode: 'all', headers })).status, 200)
  const other = await push(port, mine, { mode: 'all', headers, body: { title: 'Other' } })
  assert.deepEqual([other.status, other.body['code']], [422, 'idempotency_mismatch'])
})
