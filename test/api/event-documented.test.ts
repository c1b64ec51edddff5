import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { COMPONENTS } from '../../src/http/reference/openapi-components.ts'
import type { Method } from '../../src/http/route.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { parseBody } from '../../src/http/schema/schema.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { entryOf } from '../support/events/events.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { assertDocumented } from '../support/reference/documented.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)

const RANGE = { from: '2020-01-01', to: '2040-01-01' }

/** A call of every row about events and people whose reply is JSON. Each adds something that its reply must name. */
const CALLS: readonly (readonly [Method, string, string | object])[] = [
  ['POST', '/api/v1/user/create', { nv: [{ userID: 'u1', user_attributes: { age: 'old' } }, {}], colour: 1 }],
  ['POST', '/api/event', { nv: [entryOf({ attributes: { total: 'none' }, context: { platform: 'x' } }), 5] }],
  ['POST', '/api/v1/user_event/create', { nv: entryOf({ userID: 'u2', user_params: { age: 'young' } }) }],
  ['GET', '/api/v1/events', '?foo=1'],
  ['GET', '/api/v1/events/schema', ''],
  ['GET', '/api/v1/events/rejected', ''],
  ['GET', '/api/v1/events/stats', '?by=hour'],
  ['GET', '/api/v1/events/stats', '?by=day'],
  ['GET', '/api/v1/events/stats', '?by=name'],
  ['GET', '/api/v1/events/stats', '?by=attribute&attribute=total'],
  [
    'POST',
    '/api/v1/events/query',
    { measure: 'people', by: [{ event: 'name' }], every: 'day', compare: true },
  ],
  ['GET', '/api/v1/events/paths', '?event_name=order%20placed'],
  ['POST', '/api/v1/events/funnel', { steps: ['order placed', 'order placed'], within: 60 }],
  ['POST', '/api/v1/events/funnel/people', { steps: ['order placed', 'order placed'], within: 60, step: 1 }],
  ['GET', '/api/v1/events/retention', ''],
  ['GET', '/api/v1/events/retention', `?by=${encodeURIComponent('[{"attribute":"total"}]')}`],
  ['GET', '/api/v1/events/retention/people', '?from=2026-03-01&to=2026-03-02&cohort=2026-03-01'],
  ['POST', '/api/v1/events/schema/reset', { event_name: 'order placed', attribute: 'total' }],
  ['GET', '/api/v1/user/userdata', '?userID=u1'],
  ['POST', '/api/v1/user/userdata', { userID: 'u1' }],
  ['POST', '/api/v1/user/profile', { event_name: 'order placed', ...RANGE }],
  ['POST', '/api/v1/user/count', { event_name: 'order placed', ...RANGE }],
  ['GET', '/api/v1/users', '?search=u1'],
  ['POST', '/api/v1/users/search', { filter: { attribute: 'age', is: 'eq', value: 5 } }],
  ['GET', '/api/v1/users/{user_id}/timeline', ''],
  ['POST', '/api/v1/user/unmerge', { userID: 'u1' }],
  ['POST', '/api/v1/user/delete', { nv: [{ userID: 'u1' }, { userID: 'nobody' }] }],
]

let brand: TestBrand
before(async () => {
  brand = await server.brand()
  await deps.database.query('update brands set profile_merging = true where id = $1', [brand.brandId])
  const people = [{ userID: 'u1', user_attributes: { age: 5 } }, { email: 'a@x.example' }]
  await ask('POST', '/api/v1/user/create', { nv: people })
  const device = {
    platform: 'web',
    user_id: 'u1',
    subscription: { endpoint: 'https://fcm.googleapis.com/x', keys: KEYS },
  }
  await ask('POST', '/api/v1/subscriptions', device)
  // The second names two people at once, which merges them.
  await ask('POST', '/api/event', { nv: [entryOf(), entryOf({ email: 'a@x.example', event_id: 'e1' })] })
  await ask('POST', '/api/event', { nv: entryOf({ event_time: '2026-03-01 10:00:00' }) })
  await catchUp(deps.database, brand.brandId)
})

const KEYS = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}

async function ask(method: Method, path: string, given: string | object): Promise<Answer> {
  const headers = keyHeaders(brand)
  if (typeof given === 'string')
    return call(port, { method, path: `${path.replace('{user_id}', 'u1')}${given}`, headers })
  return call(port, { method, path, headers, body: given })
}

for (const [method, path, given] of CALLS)
  test(`200 of ${method} ${path} ${typeof given === 'string' ? given : ''} has every field that is documented, and no other`, async () => {
    const answer = await ask(method, path, given)
    assert.equal(answer.status, 200, answer.text)
    assertDocumented({ method, path }, answer)
  })

test('every row about events and people that replies with JSON was called', () => {
  const rows = ROUTES.filter(
    ({ group, replyType }) => (group === 'Events' || group === 'Profiles') && replyType === undefined,
  )
  const called = new Set(CALLS.map(([method, path]) => `${method} ${path}`))
  assert.deepEqual(new Set(rows.map(({ method, path }) => `${method} ${path}`)), called)
})

test('403 of a call of which nothing was good has every field that is documented, and no other', async () => {
  for (const nv of [{}, [{}]]) {
    const answer = await ask('POST', '/api/event', { nv })
    assert.equal(answer.status, 403)
    const parsed = parseBody(COMPONENTS.schemas.Failure, answer.body)
    assert.ok(parsed.ok, JSON.stringify(parsed))
    assert.deepEqual(parsed.value.warnings, [])
  }
})
