import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { JOURNEY_LIMITS } from '../../src/rules/journeys.ts'
import { apiOf, field, listIn } from '../support/journeys/runs.ts'
import { startServer } from '../support/processes/server.ts'
import { codesIn } from '../support/push/calls.ts'

const { port, brand, deps, close } = await startServer()
after(close)

const SEND = { to: 'anywhere', title: 'Hello', message: 'World' }
const STEPS = [{ id: 'remind', send: SEND }]
const JOURNEY = { name: 'OTP', trigger: { event: 'signup' }, steps: STEPS, goal: { event: 'otp_verified' } }

async function newApi() {
  return apiOf(port, await brand())
}

function idOf(body: Readonly<Record<string, unknown>>): string {
  return String(field(body['journey'], 'journey_id'))
}

test('200 with a draft that reads back as it was written', async () => {
  const api = await newApi()
  const created = await api('POST', '/api/v1/journeys', JOURNEY)
  assert.equal(created.status, 200, created.text)
  const read = await api('GET', `/api/v1/journeys/${idOf(created.body)}`)
  const { name, state, version, trigger, steps, goal } = Object.fromEntries(
    Object.entries(read.body['journey'] ?? {}),
  )
  assert.deepEqual({ name, trigger, steps, goal }, JOURNEY)
  assert.deepEqual([state, version], ['draft', 1])
})

test('200 from validate says what it listens to and stores nothing', async () => {
  const api = await newApi()
  const { status, body } = await api('POST', '/api/v1/journeys/validate', JOURNEY)
  assert.deepEqual([status, body['is_valid'], body['listens_to']], [200, true, ['signup', 'otp_verified']])
  assert.deepEqual((await api('GET', '/api/v1/journeys')).body['journeys'], [])
})

/** Each send is wrong in one place; the refusal names it by its whole path. */
const BAD_SENDS: readonly (readonly [object, string, string])[] = [
  [{ ...SEND, title: 'x'.repeat(71) }, 'steps[0].send.title', 'field_too_long'],
  [{ ...SEND, title: '{{ user.name' }, 'steps[0].send.title', 'template_invalid'],
  [{ to: 'web', title: 'Hello' }, 'steps[0].send.message', 'field_missing'],
  [{ ...SEND, user_id: 'u1' }, 'steps[0].send.user_id', 'journey_invalid'],
  [{ ...SEND, image_url: 'http://example.com/a.png' }, 'steps[0].send.image_url', 'field_invalid'],
  [{ ...SEND, url: 'myapp://x' }, 'steps[0].send.url', 'field_invalid'],
  [{ to: 'web', title: 'Hello', message: 'x'.repeat(5_000) }, 'steps[0].send.message', 'payload_too_large'],
  [{ ...SEND, to: 'fax' }, 'steps[0].send.to', 'journey_invalid'],
]

for (const [send, path, code] of BAD_SENDS) {
  test(`400 ${code} at ${path} for ${JSON.stringify(send).slice(0, 60)}`, async () => {
    const api = await newApi()
    const { status, body } = await api('POST', '/api/v1/journeys', { ...JOURNEY, steps: [{ id: 'a', send }] })
    const faults = listIn(body['errors']).map(
      (error) => `${String(field(error, 'field'))} ${String(field(error, 'code'))}`,
    )
    assert.equal(status, 400)
    assert.ok(faults.includes(`${path} ${code}`), faults.join('; '))
  })
}

test('a title of more than 70 characters is good where it goes to the web alone', async () => {
  const api = await newApi()
  const steps = [{ id: 'a', send: { ...SEND, to: 'web', title: 'x'.repeat(71) } }]
  assert.equal((await api('POST', '/api/v1/journeys/validate', { ...JOURNEY, steps })).status, 200)
})

test('400 for a field of another platform that is no such field there', async () => {
  const api = await newApi()
  for (const [channel, status] of [
    ['offers', 200],
    [7, 400],
  ] as const) {
    const steps = [{ id: 'a', send: { ...SEND, to: 'web', android_channel: channel } }]
    assert.equal((await api('POST', '/api/v1/journeys/validate', { ...JOURNEY, steps })).status, status)
  }
})

test('a change of the name is no new version; a change of the steps is', async () => {
  const api = await newApi()
  const id = idOf((await api('POST', '/api/v1/journeys', JOURNEY)).body)
  const renamed = await api('PATCH', `/api/v1/journeys/${id}`, { name: 'Other' })
  assert.deepEqual(
    [field(renamed.body['journey'], 'name'), field(renamed.body['journey'], 'version')],
    ['Other', 1],
  )
  const changed = await api('PATCH', `/api/v1/journeys/${id}`, { goal: null })
  assert.deepEqual(
    [field(changed.body['journey'], 'goal'), field(changed.body['journey'], 'version')],
    [null, 2],
  )
  const { body } = await api('GET', `/api/v1/journeys/${id}/versions`)
  assert.deepEqual(
    listIn(body['versions']).map((version) => field(version, 'version')),
    [2, 1],
  )
})

test('409 for a state that cannot follow, and 200 for saying it twice', async () => {
  const api = await newApi()
  const id = idOf((await api('POST', '/api/v1/journeys', JOURNEY)).body)
  const act = async (action: string) => api('POST', `/api/v1/journeys/${id}/${action}`)
  const early = await act('pause')
  assert.deepEqual([early.status, codesIn(early)], [409, ['journey_state']])
  for (const action of ['activate', 'activate', 'pause', 'activate', 'archive', 'archive']) {
    assert.equal((await act(action)).status, 200, action)
  }
  assert.equal((await act('activate')).status, 409)
  assert.equal((await api('PATCH', `/api/v1/journeys/${id}`, { name: 'x' })).status, 409)
  assert.deepEqual((await api('GET', '/api/v1/journeys')).body['journeys'], [])
  assert.equal(listIn((await api('GET', '/api/v1/journeys?archived=true')).body['journeys']).length, 1)
})

test('409 for one journey too many, however many are asked for at once', async () => {
  const made = await brand()
  const api = apiOf(port, made)
  const free = 3
  await deps.database.query(
    `insert into journeys (brand_id, name, state, created_at, updated_at)
     select $1, 'x', case when n <= $2 then 'draft' else 'archived' end, now(), now()
     from generate_series(1, $2 + 5) as n`,
    [made.brandId, JOURNEY_LIMITS.journeysMax - free],
  )
  const answers = await Promise.all(
    Array.from({ length: 50 }, async () => api('POST', '/api/v1/journeys', JOURNEY)),
  )
  const refused = answers.filter(({ status }) => status !== 200)
  assert.equal(answers.length - refused.length, free)
  assert.deepEqual(new Set(refused.flatMap(codesIn)), new Set(['too_many_journeys']))
})

test('404 for a journey of another brand', async () => {
  const id = idOf((await (await newApi())('POST', '/api/v1/journeys', JOURNEY)).body)
  const other = await newApi()
  for (const path of ['', '/versions', '/counts', '/people/u1']) {
    assert.equal((await other('GET', `/api/v1/journeys/${id}${path}`)).status, 404, path)
  }
  assert.equal((await other('POST', `/api/v1/journeys/${id}/activate`)).status, 404)
})

test('what an address asks for and cannot be is refused, and breaks nothing', async () => {
  const api = await newApi()
  const path = `/api/v1/journeys/${idOf((await api('POST', '/api/v1/journeys', JOURNEY)).body)}`
  const person = await api('GET', `${path}/people/%00`)
  assert.deepEqual([person.status, codesIn(person)], [404, ['profile_not_found']])
  const version = await api('GET', `${path}/counts?version=${JOURNEY_LIMITS.versionsMax + 1}`)
  assert.deepEqual([version.status, codesIn(version)], [400, ['field_out_of_range']])
})

test('403 for a change of a journey that is active, by the scope draft alone', async () => {
  const owner = await brand()
  const { body: made } = await apiOf(port, owner)('POST', '/api/v1/brand/keys', {
    kind: 'secret',
    scopes: ['draft'],
  })
  const draft = apiOf(port, { ...owner, secretKey: String(field(made['key'], 'api_key')) })
  const id = idOf((await draft('POST', '/api/v1/journeys', JOURNEY)).body)
  assert.equal((await draft('PATCH', `/api/v1/journeys/${id}`, { name: 'Kinder' })).status, 200)
  const activated = await draft('POST', `/api/v1/journeys/${id}/activate`)
  assert.deepEqual([activated.status, codesIn(activated)], [403, ['scope_missing']])
  assert.equal((await apiOf(port, owner)('POST', `/api/v1/journeys/${id}/activate`)).status, 200)
  const changed = await draft('PATCH', `/api/v1/journeys/${id}`, { name: 'Sterner' })
  assert.deepEqual([changed.status, codesIn(changed)], [403, ['scope_missing']])
})
