import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { purgeAudit } from '../../src/store/brand/audit.ts'
import type { TestBrand } from '../support/database/database.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { codesIn } from '../support/push/calls.ts'
import { assertDocumented } from '../support/reference/documented.ts'
import { addMember } from '../support/team/members.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps

async function send(brand: TestBrand, method: string, path: string, body?: object): Promise<Answer> {
  const given = body === undefined ? {} : { body }
  return call(server.port, { method, path, headers: keyHeaders(brand), ...given })
}

async function linesOf(brand: TestBrand, query = ''): Promise<readonly JsonObject[]> {
  const answer = await send(brand, 'GET', `/api/v1/audit?limit=100${query}`)
  assert.equal(answer.status, 200, answer.text)
  const { audit } = answer.body
  return Array.isArray(audit) ? audit.filter(isJsonObject) : []
}

const pick = (line: JsonObject | undefined, ...names: readonly string[]): readonly unknown[] =>
  names.map((name) => line?.[name])

const SEND = { to: 'anywhere', title: 'Hello', message: 'World' }
const CHANGES: readonly (readonly [string, string, object | undefined, string])[] = [
  ['PATCH', '/api/v1/brand', { frequency_cap: 3 }, 'brand'],
  ['POST', '/api/v1/topics', { name: 'news', title: 'News' }, 'topic'],
  ['PATCH', '/api/v1/topics/news', { title: 'All news' }, 'topic'],
  ['POST', '/api/v1/brand/keys', { kind: 'secret', label: 'till' }, 'key'],
  ['POST', '/api/v1/brand/identity-key', undefined, 'secret'],
  ['PUT', '/api/v1/brand/channels/web', { subject: 'mailto:a@example.com' }, 'channel'],
  ['POST', '/api/v1/segments', { name: 'VIPs', filter: { tag: 'vip' } }, 'segment'],
  ['PATCH', '/api/v1/segments/1', { name: 'All VIPs' }, 'segment'],
  ['POST', '/api/v1/segments/1/archive', undefined, 'segment'],
  ['POST', '/api/v1/templates', { name: 'Teas', content: { title: 'a', message: 'b' } }, 'template'],
  ['PATCH', '/api/v1/templates/1', { version: 1, name: 'More teas' }, 'template'],
  ['POST', '/api/v1/snippets', { name: 'foot', text: 'Bye' }, 'snippet'],
  ['DELETE', '/api/v1/snippets/foot', undefined, 'snippet'],
  [
    'POST',
    '/api/v1/journeys',
    { name: 'OTP', trigger: { event: 'signup' }, steps: [{ id: 's', send: SEND }] },
    'journey',
  ],
  ['POST', '/api/v1/journeys/1/activate', undefined, 'journey'],
  [
    'POST',
    '/api/v1/campaigns',
    { name: 'Teas', audience: { everyone: true }, content: { title: 'a', message: 'b' } },
    'campaign',
  ],
  ['PATCH', '/api/v1/campaigns/1', { version: 1, name: 'Six teas' }, 'campaign'],
  ['POST', '/api/v1/campaigns/1/cancel', undefined, 'campaign'],
]

test('every change has its line: who, what, when, from where, before and after', async () => {
  const brand = await server.brand()
  for (const [method, path, body, type] of CHANGES) {
    const answer = await send(brand, method, path, body)
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
    const id = String(answer.headers['x-request-id'])
    const mine = (await linesOf(brand, `&subject_type=${type}`)).filter((line) => line['request_id'] === id)
    assert.equal(mine.length, 1, `${method} ${path}`)
    assert.match(String(mine[0]?.['actor']), /^key:\d+$/)
    assert.equal(mine[0]?.['network'], '127.0.0.1')
  }
  const [changed] = await linesOf(brand, '&subject_type=brand')
  assert.deepEqual(pick(changed, 'action', 'before', 'after'), [
    'changed',
    { frequency_cap: null },
    { frequency_cap: 3 },
  ])
  assertDocumented({ method: 'GET', path: '/api/v1/audit' }, await send(brand, 'GET', '/api/v1/audit'))
})

test('events, sends, profiles, subscriptions and reads leave no line', async () => {
  const brand = await server.brand()
  const before = await linesOf(brand)
  const nv = [{ userID: 'ann', event_name: 'visited', attributes: {} }]
  assert.equal((await send(brand, 'POST', '/api/event', { nv })).status, 200)
  const device = { platform: 'android', token: 'token-1', user_id: 'ann', subscription_id: 'ann' }
  assert.equal((await send(brand, 'POST', '/api/v1/subscriptions', device)).status, 200)
  const push = { title: 'a', message: 'b', user_id: 'ann' }
  assert.equal((await send(brand, 'POST', '/api/v1/android/send', push)).status, 200)
  assert.equal((await send(brand, 'GET', '/api/v1/segments')).status, 200)
  assert.deepEqual(await linesOf(brand), before)
})

test('a change that changes nothing, and one that is refused, have no line', async () => {
  const brand = await server.brand()
  const name = { name: 'Once', filter: { tag: 'vip' } }
  assert.equal((await send(brand, 'POST', '/api/v1/segments', name)).status, 200)
  const before = await linesOf(brand)
  assert.equal((await send(brand, 'PATCH', '/api/v1/segments/1', { name: 'Once' })).status, 200)
  assert.equal((await send(brand, 'PATCH', '/api/v1/segments/1', { filter: {} })).status, 400)
  assert.deepEqual(await linesOf(brand), before)
})

test('exports and erasures of people have their lines, by internal id alone', async () => {
  const brand = await server.brand()
  const people = { nv: [{ userID: 'ann-canary', email: 'ann-canary@example.com' }] }
  assert.equal((await send(brand, 'POST', '/api/v1/user/create', people)).status, 200)
  assert.equal((await send(brand, 'GET', '/api/v1/user/userdata?userID=ann-canary')).status, 200)
  assert.equal((await send(brand, 'GET', '/api/v1/events/export')).status, 200)
  const erased = { nv: [{ userID: 'ann-canary' }] }
  assert.equal((await send(brand, 'POST', '/api/v1/user/delete', erased)).status, 200)
  const lines = await linesOf(brand)
  assert.deepEqual(
    lines.slice(0, 3).map((line) => pick(line, 'action', 'subject_type')),
    [
      ['erased', 'person'],
      ['exported', 'events'],
      ['exported', 'person'],
    ],
  )
  assert.ok(!JSON.stringify(lines).includes('ann-canary'))
})

test('secrets are hidden, and so are people whom a filter names', async () => {
  const brand = await server.brand()
  const made = await send(brand, 'POST', '/api/v1/brand/keys', { kind: 'secret' })
  const identity = await send(brand, 'POST', '/api/v1/brand/identity-key')
  const filter = {
    all: [
      { users: ['canary-1'] },
      { attribute: 'email', is: 'eq', value: 'canary-2@example.com' },
      { tag: 'shown' },
    ],
  }
  const segment = await send(brand, 'POST', '/api/v1/segments', { name: 'Few', filter })
  assert.equal(segment.status, 200, segment.text)
  const text = JSON.stringify(await linesOf(brand))
  assert.ok(!text.includes('canary'), text)
  assert.ok(text.includes('shown') && text.includes('[hidden]'))
  const key = String(Object(made.body['key'])['api_key'])
  for (const secret of [key, String(identity.body['identity_key'])]) assert.ok(!text.includes(secret))
})

test('filters by actor, action, subject and time, pages, and exports', async () => {
  const brand = await server.brand()
  for (const name of ['a', 'b', 'c']) await send(brand, 'POST', '/api/v1/topics', { name, title: name })
  await send(brand, 'PATCH', '/api/v1/topics/b', { title: 'B' })
  const topics = await linesOf(brand, '&subject_type=topic')
  assert.equal(topics.length, 4)
  assert.equal((await linesOf(brand, '&subject_type=topic&subject_id=b')).length, 2)
  assert.equal((await linesOf(brand, '&subject_type=topic&action=changed')).length, 1)
  assert.equal((await linesOf(brand, '&subject_type=topic&actor=system')).length, 0)
  assert.equal((await linesOf(brand, `&subject_type=topic&actor=${String(topics[0]?.['actor'])}`)).length, 4)
  assert.equal((await linesOf(brand, `&subject_type=topic&to=${String(topics[3]?.['at'])}`)).length, 0)
  const first = await send(brand, 'GET', '/api/v1/audit?subject_type=topic&limit=3')
  const cursor = String(first.body['next_cursor'])
  assert.equal((await linesOf(brand, `&subject_type=topic&cursor=${cursor}`)).length, 1)
  assert.deepEqual(codesIn(await send(brand, 'GET', '/api/v1/audit?from=monday')), ['field_invalid'])
  const ndjson = await send(brand, 'GET', '/api/v1/audit/export?subject_type=topic')
  assert.deepEqual(
    ndjson.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)['id']),
    topics.map((line) => line['id']),
  )
  const csv = await send(brand, 'GET', '/api/v1/audit/export?subject_type=topic&format=csv')
  assert.equal(csv.text.trim().split('\r\n').length, 5)
})

test('a brand sees its own lines and none of another', async () => {
  const [mine, other] = [await server.brand(), await server.brand()]
  await send(other, 'POST', '/api/v1/topics', { name: 'theirs', title: 'Theirs' })
  assert.ok(!JSON.stringify(await linesOf(mine)).includes('theirs'))
})

test('the role of requests can neither change nor delete a line, and cannot change anything without an author', async () => {
  const { brandId } = await server.brand()
  const tries = [
    'update audit set actor = $1',
    'delete from audit where actor = $1',
    'truncate audit',
    'update brands set name = $1',
  ]
  for (const text of tries) {
    const values = text.includes('$1') ? ['nobody'] : []
    await assert.rejects(
      database.asBrand(brandId, async (tx) => tx.query(text, values)),
      /permission denied|has no author/,
      text,
    )
  }
  await assert.rejects(database.query("update audit set actor = 'nobody'"), /permission denied/)
})

test('a key that a browser needs is made by the system', async () => {
  const brand = await server.brand()
  assert.equal((await send(brand, 'GET', '/api/v1/web-push-key')).status, 200)
  const [secret] = await linesOf(brand, '&subject_type=secret')
  assert.deepEqual(pick(secret, 'actor', 'action', 'subject_id'), ['system', 'created', 'channel web'])
})

test('a campaign with a very long list has its line, and takes no time out of proportion', async () => {
  const brand = await server.brand()
  // With work that grows with the square of the items this call is cut off by the statement timeout, and answered with 503.
  const items = Array.from({ length: 60_000 }, (_, at) => `item ${at}`)
  const made = await send(brand, 'POST', '/api/v1/campaigns', {
    name: 'Long',
    audience: { everyone: true },
    content: { title: 'a', message: 'b', items },
  })
  assert.equal(made.status, 200, made.text.slice(0, 1_000))
  const { rows } = await database.query<{ items: number }>(
    `select jsonb_array_length(after -> 'document' -> 'content' -> 'items') as items
     from audit where brand_id = $1 and subject_type = 'campaign'`,
    [brand.brandId],
  )
  assert.deepEqual(rows, [{ items: items.length }])
})

test('old lines are deleted, of brands and of the instance, and younger ones stay', async () => {
  const brand = await server.brand()
  await send(brand, 'POST', '/api/v1/topics', { name: 'kept', title: 'Kept' })
  const [newest] = await linesOf(brand)
  const now = Date.parse(String(newest?.['at'])) + 30 * 86_400_000 + 1
  const all = { now, rowsMax: 10_000 }
  assert.equal(await purgeAudit(database, { ...all, keptDays: 31 }), 0)
  assert.ok((await purgeAudit(database, { ...all, keptDays: 30 })) > 0)
  assert.deepEqual(await linesOf(brand), [])
  const { rows } = await database.query<{ count: number }>('select count(*)::integer as count from audit')
  assert.equal(rows[0]?.count, 0)
})

test('changes of the team are lines of the brand, by the member who made them', async () => {
  const brand = await server.brand()
  const owner = await addMember(server, { brand })
  const path = '/api/v1/team/members'
  const invited = await owner.page.post(path, { email: 'canary-guest@example.com', role: 'analyst' })
  assert.equal(invited.status, 200, invited.text)
  const id = String(Object(invited.body['member']).id)
  const one = `${path}/${id}`
  assert.equal((await owner.page.call({ method: 'PATCH', path: one, body: { role: 'author' } })).status, 200)
  assert.equal((await owner.page.call({ method: 'DELETE', path: one })).status, 200)
  const lines = await linesOf(brand, `&subject_type=membership&subject_id=${id}`)
  assert.deepEqual(
    lines.map((line) => pick(line, 'actor', 'action', 'before', 'after')),
    [
      [`member:${owner.id}`, 'deleted', { role: 'author', accepted_at: null }, null],
      [`member:${owner.id}`, 'changed', { role: 'analyst' }, { role: 'author' }],
      [`member:${owner.id}`, 'created', null, { role: 'analyst', accepted_at: null }],
    ],
  )
  const { rows } = await database.query<{ text: string }>('select audit::text as text from audit')
  assert.ok(!rows.some(({ text }) => text.includes('canary')), 'a member is named by id alone')
})
