import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { KEY_KINDS } from '../../src/rules/brand.ts'
import { LIMITS } from '../../src/rules/limits.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { assertDocumented } from '../support/reference/documented.ts'
import { addMember } from '../support/team/members.ts'

const PATH = '/api/v1/brand/keys'
let now = Date.UTC(2026, 0, 1)

const server = await startServer({ clock: { now: () => now } })
let brand = await server.brand()
after(server.close)

const ask = async (path: string, body?: object, headers = {}): Promise<Answer> =>
  call(server.port, {
    path,
    headers: { ...keyHeaders(brand), ...headers },
    ...(body === undefined ? {} : { body }),
  })
const keyIn = ({ body }: Answer): Readonly<Record<string, unknown>> => Object(body['key'])
const keysIn = ({ body }: Answer): readonly Readonly<Record<string, unknown>>[] =>
  Array.from(Object(body['keys']))
const revoke = async (id: unknown): Promise<Answer> =>
  call(server.port, { method: 'POST', path: `${PATH}/${String(id)}/revoke`, headers: keyHeaders(brand) })

test('200 makes a key that works, shows it once and stores no trace of it', async () => {
  const made = await ask(PATH, { kind: 'secret', label: 'till', scopes: ['brand'] })
  assert.equal(made.status, 200)
  assertDocumented({ method: 'POST', path: PATH }, made)
  assertDocumented({ method: 'GET', path: PATH }, await ask(PATH))
  const { api_key: apiKey, ...shown } = keyIn(made)
  assert.match(String(apiKey), /^bk_secret_/)
  const { status } = await call(server.port, {
    path: PATH,
    headers: { authorization: `Bearer ${String(apiKey)}` },
  })
  assert.equal(status, 200)
  assert.deepEqual(
    keysIn(await ask(PATH)).find(({ id }) => id === shown['id']),
    shown,
  )
  const { rows } = await server.deps.database.query<{ found: boolean }>(
    `select bool_or(keys::text like '%' || $1 || '%') as found from api_keys as keys`,
    [String(apiKey)],
  )
  assert.equal(rows[0]?.found, false)
})

test('403 for a scope that the key itself does not have', async () => {
  const settings = await server.brand({ scopes: ['brand', 'events'] })
  const mint = async (body: object): Promise<Answer> =>
    call(server.port, { path: PATH, headers: keyHeaders(settings), body })
  const refused = [
    { kind: 'secret', scopes: ['push'] },
    { kind: 'secret', scopes: ['events', 'profiles'] },
    { kind: 'publishable', scopes: ['subscribe'] },
  ]
  for (const body of refused) {
    const { status, body: reply } = await mint(body)
    assert.deepEqual([status, reply['code']], [403, 'scope_missing'], JSON.stringify(body))
  }
  const given = async (body: object): Promise<unknown> => keyIn(await mint(body))['scopes']
  assert.deepEqual(await given({ kind: 'secret' }), ['events', 'brand'])
  assert.deepEqual(await given({ kind: 'publishable' }), ['track'])

  const onlyBrand = await server.brand({ scopes: ['brand'] })
  const none = await call(server.port, {
    path: PATH,
    headers: keyHeaders(onlyBrand),
    body: { kind: 'publishable' },
  })
  assert.deepEqual([none.status, none.body['code']], [403, 'scope_missing'])
})

test('a developer makes keys for push and events, and none that may do more than that or the developer', async () => {
  const { page } = await addMember(server, { brand, role: 'developer' })
  const mint = async (scopes: readonly string[]): Promise<Answer> =>
    page.post(PATH, { kind: 'secret', scopes })
  const granted: string[] = []
  for (const scope of [...KEY_KINDS.secret.scopes, ...KEY_KINDS.secret.parts]) {
    const { status, body } = await mint([scope])
    if (status === 200) granted.push(scope)
    else assert.deepEqual([status, body['code']], [403, 'scope_missing'], scope)
  }
  assert.deepEqual(granted.toSorted(), [
    'brand:read',
    'events',
    'events:read',
    'keys',
    'push',
    'push:read',
    'schema:read',
  ])
  assert.equal((await mint(['push', 'profiles'])).body['code'], 'scope_missing')
  const all = await page.post(PATH, { kind: 'secret' })
  assert.deepEqual(keyIn(all)['scopes'], ['push', 'events'])
  const publishable = await page.post(PATH, { kind: 'publishable' })
  assert.deepEqual(keyIn(publishable)['scopes'], ['track'])

  const key = { authorization: `Bearer ${String(keyIn(await mint(['events']))['api_key'])}` }
  const nv = [{ userID: 'ann', event_name: 'visited', attributes: {} }]
  assert.equal((await call(server.port, { path: '/api/event', headers: key, body: { nv } })).status, 200)
  assert.equal((await call(server.port, { path: '/api/v1/users', headers: key })).status, 403)
  for (const role of ['editor', 'author', 'analyst'] as const) {
    const other = await addMember(server, { brand, role })
    const refused = await other.page.post(PATH, { kind: 'secret', scopes: ['push:read'] })
    assert.deepEqual([refused.status, refused.body['code']], [403, 'scope_missing'], role)
  }
})

test('ids of keys count within the brand, and tell nothing about others', async () => {
  const other = await server.brand()
  const mine = await server.brand()
  const make = async (of: typeof brand): Promise<unknown> =>
    keyIn(await call(server.port, { path: PATH, headers: keyHeaders(of), body: { kind: 'secret' } }))['id']
  assert.deepEqual([await make(mine), await make(other), await make(other), await make(mine)], [3, 3, 4, 4])
})

test('200 with an Idempotency-Key makes one key, and the replay keeps the secret', async () => {
  const headers = { 'idempotency-key': 'one-key' }
  const first = await ask(PATH, { kind: 'publishable' }, headers)
  const again = await ask(PATH, { kind: 'publishable' }, headers)
  assert.match(String(keyIn(first)['api_key']), /^bk_public_/)
  assert.deepEqual(keyIn(again), { ...keyIn(first), api_key: null })
  assert.equal(again.headers['idempotency-replayed'], 'true')
})

test('200 revokes a key everywhere; twice is the same as once', async () => {
  const made = keyIn(await ask(PATH, { kind: 'secret' }))
  const own = { authorization: `Bearer ${String(made['api_key'])}` }
  assert.equal((await call(server.port, { path: PATH, headers: own })).status, 200)
  const first = await revoke(made['id'])
  assert.equal(first.status, 200)
  assertDocumented({ method: 'POST', path: `${PATH}/{id}/revoke` }, first)
  assert.equal(keyIn(first)['revoked_at'], new Date(now).toISOString())
  now += LIMITS.keyCacheMs
  assert.equal((await call(server.port, { path: PATH, headers: own })).status, 401)
  assert.deepEqual(keyIn(await revoke(made['id'])), keyIn(first))
})

test('404 for a key that is not there, is another brand’s, or is no id', async () => {
  const other = await server.brand()
  // Ids count within a brand, so the other brand gets one that this brand does not have.
  await server.deps.database.query(
    `insert into brand_counters values ($1, 'api_keys', 777)
     on conflict (brand_id, counter) do update set newest = 777`,
    [other.brandId],
  )
  const theirs = await call(server.port, { path: PATH, headers: keyHeaders(other), body: { kind: 'secret' } })
  assert.equal(keyIn(theirs)['id'], 778)
  for (const id of ['2147483647', '2147483648', '0', '-1', '1e3', 'x', 778]) {
    const { status, body } = await revoke(id)
    assert.equal(status, 404, String(id))
    assert.equal(body['code'], 'key_not_found')
  }
  assert.equal((await call(server.port, { path: PATH, headers: keyHeaders(other) })).status, 200)
})

test('200 lists page by page, each key once', async () => {
  brand = await server.brand()
  for (let count = 0; count < 3; count++) await ask(PATH, { kind: 'publishable', label: String(count) })
  const seen: unknown[] = []
  let cursor: unknown = ''
  while (typeof cursor === 'string') {
    const page: Answer = await ask(`${PATH}?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
    assert.equal(page.status, 200)
    assert.ok(keysIn(page).length <= 2)
    seen.push(...keysIn(page).map(({ id }) => id))
    cursor = page.body['next_cursor']
  }
  assert.equal(seen.length, 5)
  assert.equal(new Set(seen).size, 5)
})

const REFUSED: readonly (readonly [string, string, object | undefined, string])[] = [
  ['no kind', PATH, {}, 'kind'],
  ['a kind that is none', PATH, { kind: 'master' }, 'kind'],
  ['a scope that is none', PATH, { kind: 'secret', scopes: ['all'] }, 'scopes[0]'],
  ['no scope at all', PATH, { kind: 'secret', scopes: [] }, 'scopes'],
  ['a publishable key that could send', PATH, { kind: 'publishable', scopes: ['push'] }, 'scopes'],
  ['a label too long', PATH, { kind: 'secret', label: 'x'.repeat(201) }, 'label'],
  ['a page too long', `${PATH}?limit=501`, undefined, 'limit'],
  ['a page of nothing', `${PATH}?limit=0`, undefined, 'limit'],
  ['a limit in words', `${PATH}?limit=ten`, undefined, 'limit'],
  ['a cursor made up', `${PATH}?cursor=abc`, undefined, 'cursor'],
]
for (const [name, path, body, field] of REFUSED)
  test(`400 for ${name}`, async () => {
    const { status, body: reply } = await ask(path, body)
    assert.equal(status, 400)
    assert.equal(Object(Reflect.get(Object(reply['errors']), 0)).field, field)
  })
