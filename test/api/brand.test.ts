import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { BRAND_LIMITS } from '../../src/rules/brand.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { assertDocumented } from '../support/reference/documented.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const PATH = '/api/v1/brand'

const server = await startServer()
const brand = await server.brand()
after(server.close)

const read = async (): Promise<Answer> => call(server.port, { path: PATH, headers: keyHeaders(brand) })
const change = async (body: object | string): Promise<Answer> =>
  call(server.port, { method: 'PATCH', path: PATH, headers: keyHeaders(brand), body })
const settingsIn = ({ body }: Answer): Readonly<Record<string, unknown>> => Object(body['brand'])

test('200 shows a brand its own settings', async () => {
  const answer = await read()
  const { status, body } = answer
  assert.equal(status, 200)
  assertDocumented({ method: 'GET', path: PATH }, answer)
  const { created_at: createdAt, ...rest } = Object(body['brand'])
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(rest, {
    brand_id: brand.externalId,
    name: brand.externalId,
    time_zone: 'UTC',
    profile_merging: false,
    allowed_origins: [],
    identity_verification: true,
    frequency_cap: null,
    default_sound: null,
    language: null,
    control_percent: 0,
    quiet_hours: null,
    approval_above: null,
  })
})

test('200 changes what is named and nothing else, of this brand and no other', async () => {
  const other = await server.brand()
  const changed = await change({ name: '  Acme ', time_zone: 'europe/berlin', profile_merging: true })
  assert.equal(changed.status, 200)
  assertDocumented({ method: 'PATCH', path: PATH }, changed)
  assert.deepEqual(settingsIn(changed), {
    ...settingsIn(await read()),
    name: 'Acme',
    time_zone: 'Europe/Berlin',
    profile_merging: true,
  })
  const origins = await change({
    allowed_origins: ['https://Example.com/', 'http://localhost:3000', 'https://example.com'],
  })
  assert.deepEqual(settingsIn(origins)['allowed_origins'], ['https://example.com', 'http://localhost:3000'])
  assert.equal(settingsIn(await read())['name'], 'Acme')
  const theirs = await call(server.port, { path: PATH, headers: keyHeaders(other) })
  assert.equal(settingsIn(theirs)['time_zone'], 'UTC')
})

test('200: the default sound is that of app notifications that name none, and of no silent one', async () => {
  const { database } = server.deps
  for (const platform of ['android', 'ios', 'web'] as const)
    await seedSubscriptions(database, { brandId: brand.brandId, platform, userId: 'ann' })
  const payloadOf = async (platform: string, more: object = {}) => {
    const body = { user_id: 'ann', title: 'Hello', message: 'there', dry_run: true, ...more }
    const path = `/api/v1/${platform}/send`
    const answer = await call(server.port, { path, headers: keyHeaders(brand), body })
    assert.equal(answer.status, 200, answer.text)
    return JSON.stringify(answer.body['payload'])
  }
  assert.doesNotMatch(await payloadOf('ios'), /sound/)
  assert.equal(settingsIn(await change({ default_sound: 'ding.caf' }))['default_sound'], 'ding.caf')
  for (const platform of ['ios', 'android']) {
    assert.match(await payloadOf(platform), /"sound":"ding.caf"/)
    assert.match(await payloadOf(platform, { sound: 'gong' }), /"sound":"gong"/)
    assert.doesNotMatch(await payloadOf(platform, { sound: 'none' }), /sound/)
    assert.doesNotMatch(await payloadOf(platform, { silent: true }), /sound/)
  }
  assert.doesNotMatch(await payloadOf('web'), /sound/)
  const sent = await call(server.port, {
    path: '/api/v1/ios/send',
    headers: keyHeaders(brand),
    body: { user_id: 'ann', title: 'Hello', message: 'there' },
  })
  assert.equal(sent.status, 200, sent.text)
  const { rows } = await database.query(
    `select content ->> 'sound' as sound from notifications where brand_id = $1`,
    [brand.brandId],
  )
  assert.deepEqual(rows, [{ sound: 'ding.caf' }])
  assert.equal(settingsIn(await change({ default_sound: null }))['default_sound'], null)
  assert.equal((await change({ default_sound: '' })).status, 400)
})

test('200 sets a cap and takes it away; 400 for one that is out of range', async () => {
  assert.equal(settingsIn(await change({ frequency_cap: 3 }))['frequency_cap'], 3)
  assert.equal(settingsIn(await change({ name: 'Acme' }))['frequency_cap'], 3)
  assert.equal(settingsIn(await change({ frequency_cap: null }))['frequency_cap'], null)
  for (const cap of [0, 101, 1.5, '3']) assert.equal((await change({ frequency_cap: cap })).status, 400)
})

test('200 sets the language of the brand and takes it away; 400 for what is no language tag', async () => {
  assert.equal(settingsIn(await change({ language: 'pt_BR' }))['language'], 'pt-BR')
  assert.equal(settingsIn(await change({ name: 'Acme' }))['language'], 'pt-BR')
  assert.equal(settingsIn(await change({ language: null }))['language'], null)
  for (const language of ['', 'e', 'english!', 7, `en-${'x'.repeat(62)}`]) {
    const answer = await change({ language })
    assert.equal(answer.status, 400, String(language))
    assert.equal(Object(answer.body['errors']).at(0)?.field, 'language', answer.text)
  }
})

test('200 sets the percentage of the control group; 400 for one that is out of range', async () => {
  assert.equal(settingsIn(await change({ control_percent: 20 }))['control_percent'], 20)
  assert.equal(settingsIn(await change({ name: 'Acme' }))['control_percent'], 20)
  assert.equal(settingsIn(await change({ control_percent: 0 }))['control_percent'], 0)
  for (const percent of [-1, 21, 1.5, '5', null]) {
    assert.equal((await change({ control_percent: percent })).status, 400, String(percent))
  }
})

test('200 warns of unknown fields, which change nothing', async () => {
  const { status, body } = await change({ nmae: 'x', id: 7, __proto__: { name: 'y' } })
  assert.equal(status, 200)
  assert.deepEqual(
    Array.from(Object(body['warnings']), (row) => Reflect.get(Object(row), 'field')),
    ['nmae', 'id'],
  )
  assert.notEqual(settingsIn(await read())['name'], 'x')
})

const REFUSED: readonly (readonly [string, object | string, string, string])[] = [
  ['a name of another type', { name: 7 }, 'name', 'field_type'],
  ['an empty name', { name: '' }, 'name', 'field_empty'],
  ['a blank name', { name: '  ' }, 'name', 'field_invalid'],
  ['a name too long', { name: 'é'.repeat(BRAND_LIMITS.nameCharsMax + 1) }, 'name', 'field_too_long'],
  ['a name with NUL', { name: 'a\u0000b' }, 'name', 'field_invalid'],
  ['a name with half a surrogate pair', '{"name":"\\ud800"}', 'name', 'field_invalid'],
  ['a zone that is none', { time_zone: 'Mars/Olympus' }, 'time_zone', 'field_invalid'],
  ['merging that is no truth', { profile_merging: 'yes' }, 'profile_merging', 'field_type'],
  [
    'an origin with a path',
    { allowed_origins: ['https://a.example/x'] },
    'allowed_origins[0]',
    'field_invalid',
  ],
  ['an origin that is no address', { allowed_origins: ['example'] }, 'allowed_origins[0]', 'field_invalid'],
  [
    'an origin without TLS',
    { allowed_origins: ['https://a.example', 'http://a.example'] },
    'allowed_origins[1]',
    'field_invalid',
  ],
  [
    'too many origins',
    { allowed_origins: Array.from({ length: 51 }, (_, i) => `https://a${i}.example`) },
    'allowed_origins',
    'field_too_long',
  ],
]
for (const [name, body, field, code] of REFUSED)
  test(`400 for ${name}`, async () => {
    const { status, body: reply } = await change(body)
    assert.equal(status, 400)
    const first = Object(Reflect.get(Object(reply['errors']), 0))
    assert.deepEqual({ field: first.field, code: first.code }, { field, code })
  })

test('400 names every fault at once', async () => {
  const { body } = await change({ name: 7, time_zone: 8 })
  assert.equal(Object(body['errors']).length, 2)
})

test('400 for a body that is no object', async () => {
  for (const body of ['[]', '"x"', 'null', '7'])
    assert.equal((await change(body)).body['code'], 'not_an_object')
})

test('403 without the scope', async () => {
  const { secretKey, externalId } = await server.brand({ scopes: ['push'] })
  const headers = { 'x-api-key': secretKey, 'x-brand-id': externalId }
  assert.equal((await call(server.port, { path: PATH, headers })).status, 403)
})
