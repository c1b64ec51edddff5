import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { LIMITS } from '../../src/rules/limits.ts'
import { SUBSCRIPTION_LIMITS } from '../../src/rules/subscriptions.ts'
import type { TestBrand } from '../support/database/database.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { iosToken, webSubscription } from '../support/subscriptions/devices.ts'

const PATH = '/api/v1/subscriptions'

const server = await startServer()
after(server.close)
let brand: TestBrand
test.beforeEach(async () => {
  brand = await server.brand()
})

const ask = async (path: string, body?: object, method?: string): Promise<Answer> =>
  call(server.port, {
    path: `${PATH}${path}`,
    headers: keyHeaders(brand),
    ...(body === undefined ? {} : { body }),
    ...(method === undefined ? {} : { method }),
  })
const register = async (body: object): Promise<Answer> => ask('', body)
const change = async (id: string, body: object): Promise<Answer> => ask(`/${id}`, body, 'PATCH')
const list = async (query = ''): Promise<Answer> => ask(query)
const shown = ({ body }: Answer): Readonly<Record<string, unknown>> => Object(body['subscription'])
const idOf = (answer: Answer): string => String(shown(answer)['subscription_id'])
const idsIn = ({ body }: Answer): readonly string[] =>
  Array.from(Object(body['subscriptions']), (row) => String(Reflect.get(Object(row), 'subscription_id')))

test('200 registers an Android device, and shows all of it but its token', async () => {
  const answer = await register({
    platform: 'android',
    token: 'fcm-1',
    user_id: 'ann',
    android_id: 'a1',
    subscription_id: 'mine-1',
    tags: ['vip', 'beta'],
    time_zone: '+0530',
    language: 'pt_BR',
    app_version: '1.2',
  })
  assert.equal(answer.status, 200, answer.text)
  const { created_at, registered_at, updated_at, state_since, ...rest } = shown(answer)
  assert.deepEqual(rest, {
    subscription_id: 'mine-1',
    platform: 'android',
    user_id: 'ann',
    android_id: 'a1',
    tags: ['vip', 'beta'],
    opt_outs: [],
    time_zone: '+05:30',
    language: 'pt-BR',
    browser: null,
    app_version: '1.2',
    is_virtual: false,
    state: 'live',
    state_reason: null,
  })
  assert.deepEqual(new Set([created_at, registered_at, updated_at]), new Set([state_since]))
  assert.deepEqual(shown(await ask('/mine-1')), shown(answer))
  assert.doesNotMatch(answer.text, /fcm-1/)
})

test('200 registers iOS and web devices', async () => {
  const ios = await register({ platform: 'ios', token: iosToken(), environment: 'sandbox', ios_ifv: 'v1' })
  assert.deepEqual([shown(ios)['environment'], shown(ios)['ios_ifv']], ['sandbox', 'v1'])
  const web = await register({ platform: 'web', subscription: webSubscription(), browser: 'firefox' })
  assert.equal(web.status, 200, web.text)
  assert.equal(shown(web)['browser'], 'firefox')
})

test('200 the same endpoint again is the same subscription, moved to who is named now', async () => {
  const subscription = webSubscription()
  const first = await register({ platform: 'web', subscription, user_id: 'ann', tags: ['vip'] })
  const second = await register({ platform: 'web', subscription, user_id: 'bob' })
  assert.equal(idOf(second), idOf(first))
  assert.deepEqual([shown(second)['user_id'], shown(second)['tags']], ['bob', ['vip']])
  assert.equal(idsIn(await list()).length, 1)
})

test('200 a repeated request with one Idempotency-Key is done once', async () => {
  const headers = { ...keyHeaders(brand), 'idempotency-key': 'k1' }
  const body = { platform: 'android', token: 't' }
  const first = await call(server.port, { path: PATH, headers, body })
  const again = await call(server.port, { path: PATH, headers, body })
  assert.deepEqual(shown(again), shown(first))
  assert.equal(again.headers['idempotency-replayed'], 'true')
})

test('400 names every field that is wrong', async () => {
  const web = webSubscription('https://push.example.org/x')
  const { status, body } = await register({ platform: 'web', subscription: web, time_zone: 'Mars/Base' })
  assert.equal(status, 400)
  const fields = Array.from(Object(body['errors']), (row) => Reflect.get(Object(row), 'field'))
  assert.deepEqual(new Set(fields), new Set(['subscription.endpoint', 'time_zone']))
})

test('400 for an id that already names a device of another platform', async () => {
  await register({ platform: 'android', token: 't', subscription_id: 's1' })
  const { status, body } = await register({ platform: 'ios', token: iosToken(), subscription_id: 's1' })
  assert.deepEqual([status, body['code']], [400, 'field_conflict'])
})

test('200 lists by platform, person, tag and state, page by page', async () => {
  for (const [at, tag] of ['a', 'b', 'a', 'b', 'a'].entries()) {
    const device = { platform: 'android', token: `t${at}`, subscription_id: `s${at}` }
    await register({ ...device, tags: [tag], user_id: at < 2 ? 'ann' : 'bob' })
  }
  await register({ platform: 'ios', token: iosToken(), subscription_id: 'phone' })
  await ask('/s0/unsubscribe', undefined, 'POST')
  assert.deepEqual(idsIn(await list('?platform=ios')), ['phone'])
  assert.deepEqual(idsIn(await list('?user_id=ann')), ['s0', 's1'])
  assert.deepEqual(idsIn(await list('?user_id=nobody')), [])
  assert.deepEqual(idsIn(await list('?tag=a&state=live')), ['s2', 's4'])
  assert.deepEqual(idsIn(await list('?state=unsubscribed')), ['s0'])

  const pages: string[][] = []
  let cursor: unknown = ''
  do {
    const answer = await list(`?limit=4${cursor === '' ? '' : `&cursor=${String(cursor)}`}`)
    pages.push([...idsIn(answer)])
    cursor = answer.body['next_cursor']
  } while (cursor !== null)
  assert.deepEqual(pages, [
    ['s0', 's1', 's2', 's3'],
    ['s4', 'phone'],
  ])
})

test('400 for a list with a state, a cursor or a limit that cannot be', async () => {
  for (const query of ['?state=dead', '?cursor=AAAA', `?limit=${LIMITS.pageSizeMax + 1}`]) {
    assert.equal((await list(query)).status, 400, query)
  }
})

test('200 adds, removes and replaces tags, and clears facts', async () => {
  const id = idOf(await register({ platform: 'android', token: 't', tags: ['a', 'b'], language: 'en' }))
  const tagsAfter = async (body: object) => shown(await change(id, body))['tags']
  assert.deepEqual(await tagsAfter({ tags: { add: ['c', 'a'], remove: ['b'] } }), ['a', 'c'])
  assert.deepEqual(await tagsAfter({ tags: ['x'] }), ['x'])
  const cleared = shown(await change(id, { language: null, browser: 'opera' }))
  assert.deepEqual([cleared['language'], cleared['browser'], cleared['tags']], [null, 'opera', ['x']])
})

test('200 keeps every tag when fifty callers add one each', async () => {
  const id = idOf(await register({ platform: 'android', token: 't' }))
  await Promise.all(Array.from({ length: 50 }, async (_, at) => change(id, { tags: { add: [`t${at}`] } })))
  const tags = shown(await ask(`/${id}`))['tags']
  assert.equal(Array.from(Object(tags)).length, 50)
})

test('400 for one tag more than a subscription can carry', async () => {
  const tags = Array.from({ length: SUBSCRIPTION_LIMITS.tagsMax }, (_, at) => `t${at}`)
  const id = idOf(await register({ platform: 'android', token: 't', tags }))
  const { status, body } = await change(id, { tags: { add: ['more'] } })
  assert.deepEqual([status, body['code']], [400, 'field_too_long'])
})

test('200 moves a device to another person, and to none', async () => {
  const id = idOf(await register({ platform: 'android', token: 't', user_id: 'ann' }))
  assert.equal(shown(await change(id, { user_id: 'bob' }))['user_id'], 'bob')
  assert.equal(shown(await change(id, { user_id: null }))['user_id'], null)
  assert.deepEqual(idsIn(await list('?user_id=bob')), [])
})

test('200 unsubscribes once and keeps the time; registering again makes it live', async () => {
  const id = idOf(await register({ platform: 'android', token: 't' }))
  const first = shown(await ask(`/${id}/unsubscribe`, undefined, 'POST'))
  const again = shown(await ask(`/${id}/unsubscribe`, undefined, 'POST'))
  assert.equal(first['state'], 'unsubscribed')
  assert.deepEqual(again, first)
  assert.equal(shown(await register({ platform: 'android', token: 't' }))['state'], 'live')
})

test('404 for what is unknown, another brand’s or no id at all', async () => {
  const id = idOf(await register({ platform: 'android', token: 't' }))
  brand = await server.brand()
  for (const path of [`/${id}`, '/nobody', '/%00', '/%F0%9F%98%80']) {
    assert.equal((await ask(path)).body['code'], 'subscription_not_found', path)
    assert.equal((await ask(path, { tags: ['x'] }, 'PATCH')).status, 404, path)
    assert.equal((await ask(`${path}/unsubscribe`, undefined, 'POST')).status, 404, path)
  }
})

test('403 for a key without the scope', async () => {
  brand = await server.brand({ scopes: ['push'] })
  assert.deepEqual((await list()).body['code'], 'scope_missing')
})
