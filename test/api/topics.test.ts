import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { TOPIC_LIMITS, TRANSACTIONAL } from '../../src/rules/topics.ts'
import type { TestBrand } from '../support/database/database.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const PATH = '/api/v1/topics'
const OFFERS = { name: 'offers', title: 'Offers' }
const TEXT = { title: 'Hello', message: 'World' }

const server = await startServer()
after(server.close)
let brand: TestBrand
test.beforeEach(async () => {
  brand = await server.brand()
})

type Call = { readonly body?: object; readonly method?: string; readonly of?: TestBrand }

const ask = async (path: string, { body, method, of = brand }: Call = {}): Promise<Answer> =>
  call(server.port, {
    path,
    headers: keyHeaders(of),
    ...(body === undefined ? {} : { body }),
    ...(method === undefined ? {} : { method }),
  })
const shown = ({ body }: Answer): Readonly<Record<string, unknown>> => Object(body['topic'])
const namesIn = ({ body }: Answer): readonly unknown[] =>
  Array.from(Object(body['topics']), (row) => Reflect.get(Object(row), 'name'))
const refusalOf = ({ status, body }: Answer): readonly unknown[] => [status, body['code']]

test('200 creates, lists, changes and archives a topic', async () => {
  const made = await ask(PATH, { body: { ...OFFERS, description: 'Discounts.' } })
  assert.equal(made.status, 200, made.text)
  const { created_at, updated_at, ...rest } = shown(made)
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, { ...OFFERS, description: 'Discounts.', is_reserved: false, archived_at: null })

  const changed = shown(await ask(`${PATH}/offers`, { body: { title: 'Sales' }, method: 'PATCH' }))
  assert.deepEqual([changed['title'], changed['description']], ['Sales', 'Discounts.'])

  const first = shown(await ask(`${PATH}/offers/archive`, { method: 'POST' }))['archived_at']
  assert.equal(typeof first, 'string')
  assert.equal(shown(await ask(`${PATH}/offers/archive`, { method: 'POST' }))['archived_at'], first)
  assert.deepEqual(namesIn(await ask(PATH)), [TRANSACTIONAL])
  assert.deepEqual(namesIn(await ask(`${PATH}?archived=true`)), ['offers'])
})

test('the topic transactional is always there, and can be neither made nor changed nor archived', async () => {
  assert.deepEqual(namesIn(await ask(PATH)), [TRANSACTIONAL])
  const made = await ask(PATH, { body: { name: TRANSACTIONAL, title: 'Mine' } })
  assert.deepEqual(refusalOf(made), [409, 'topic_exists'])
  const changed = await ask(`${PATH}/${TRANSACTIONAL}`, { body: { title: 'Mine' }, method: 'PATCH' })
  assert.deepEqual(refusalOf(changed), [404, 'topic_not_found'])
  const archived = await ask(`${PATH}/${TRANSACTIONAL}/archive`, { method: 'POST' })
  assert.deepEqual(refusalOf(archived), [404, 'topic_not_found'])
})

test('400 for a name that is no slug, 409 for one that is taken, also by an archived topic', async () => {
  const longest = 'a'.repeat(TOPIC_LIMITS.nameCharsMax)
  for (const name of ['a', '0', 'new-goods', 'new_goods', longest]) {
    assert.equal((await ask(PATH, { body: { name, title: 'T' } })).status, 200, name)
  }
  for (const name of ['', '*', 'Offers', 'new goods', '-a', 'a-', 'a--b', 'a\n', 'é', `${longest}a`]) {
    assert.equal((await ask(PATH, { body: { name, title: 'T' } })).status, 400, name)
  }
  await ask(`${PATH}/a/archive`, { method: 'POST' })
  assert.deepEqual(refusalOf(await ask(PATH, { body: { name: 'a', title: 'T' } })), [409, 'topic_exists'])
})

test('409 for one topic more than a brand may have, archived ones included', async () => {
  const names = Array.from({ length: TOPIC_LIMITS.topicsMax }, (_, index) => `t${index}`)
  for (const name of names) assert.equal((await ask(PATH, { body: { name, title: 'T' } })).status, 200)
  await ask(`${PATH}/t0/archive`, { method: 'POST' })
  assert.deepEqual(refusalOf(await ask(PATH, { body: OFFERS })), [409, 'too_many_topics'])
})

test('a push carries its topic; 400 names one that is unknown, archived or of another brand', async () => {
  const other = await server.brand()
  await ask(PATH, { body: OFFERS, of: other })
  await ask(PATH, { body: { name: 'news', title: 'News' } })
  await ask(`${PATH}/news/archive`, { method: 'POST' })
  for (const topic of ['offers', 'news', 'nothing', '*']) {
    const refused = await ask('/api/v1/web/broadcast/all', { body: { ...TEXT, topic } })
    assert.deepEqual(refusalOf(refused), [400, 'topic_unknown'])
    assert.match(refused.text, new RegExp(`no topic ${topic.replace('*', '\\*')}\\.`))
    const tried = await ask('/api/v1/web/broadcast/all', { body: { ...TEXT, topic, dry_run: true } })
    assert.deepEqual(refusalOf(tried), [400, 'topic_unknown'])
  }
  await ask(PATH, { body: OFFERS })
  for (const topic of ['offers', TRANSACTIONAL]) {
    const { body } = await ask('/api/v1/web/broadcast/all', { body: { ...TEXT, topic } })
    const { id } = Object(body['notification'])
    const { notification } = Object((await ask(`/api/v1/notifications/${id}`)).body)
    assert.equal(Object(notification)['topic'], topic)
  }
})

test('a campaign names a topic of the brand from the draft on; 400 for one that is unknown, archived or another’s', async () => {
  const other = await server.brand()
  await ask(PATH, { body: OFFERS, of: other })
  for (const name of ['news', 'gone']) await ask(PATH, { body: { name, title: 'T' } })
  await ask(`${PATH}/gone/archive`, { method: 'POST' })
  const draft = { name: 'Teas', audience: { everyone: true }, platforms: ['web'], content: TEXT }
  const made = await ask('/api/v1/campaigns', { body: { ...draft, topic: 'news' } })
  assert.equal(made.status, 200, made.text)
  const { campaign_id } = Object(made.body['campaign'])
  const one = `/api/v1/campaigns/${campaign_id}`
  for (const topic of ['offers', 'gone', 'nothing', '*']) {
    const created = await ask('/api/v1/campaigns', { body: { ...draft, topic } })
    assert.deepEqual([...refusalOf(created), topic], [400, 'topic_unknown', topic])
    const changed = await ask(one, { body: { version: 1, topic }, method: 'PATCH' })
    assert.deepEqual([...refusalOf(changed), topic], [400, 'topic_unknown', topic])
  }
  const transactional = await ask('/api/v1/campaigns', { body: { ...draft, topic: TRANSACTIONAL } })
  assert.equal(transactional.status, 200, transactional.text)
  await ask(`${PATH}/news/archive`, { method: 'POST' })
  for (const action of ['dry_run', 'launch']) {
    assert.deepEqual(
      refusalOf(await ask(`${one}/${action}`, { method: 'POST' })),
      [400, 'topic_unknown'],
      action,
    )
  }
})

test('a draft key that asks for approval with a topic that is archived by now is refused', async () => {
  await ask(PATH, { body: OFFERS })
  const key = await ask('/api/v1/brand/keys', { body: { kind: 'secret', scopes: ['draft'] } })
  const author = { ...brand, secretKey: String(Object(key.body['key'])['api_key']) }
  const draft = {
    name: 'Teas',
    audience: { everyone: true },
    platforms: ['web'],
    content: TEXT,
    topic: 'offers',
  }
  const made = await ask('/api/v1/campaigns', { body: draft, of: author })
  const { campaign_id } = Object(made.body['campaign'])
  await ask(`${PATH}/offers/archive`, { method: 'POST' })
  const asked = await ask(`/api/v1/campaigns/${campaign_id}/launch`, { method: 'POST', of: author })
  assert.deepEqual(refusalOf(asked), [400, 'topic_unknown'])
})

test('a journey’s send carries a topic; 400 at its path for one that the brand does not have', async () => {
  const send = { to: 'anywhere', ...TEXT, topic: 'offers' }
  const journey = { name: 'J', trigger: { event: 'signup' }, steps: [{ id: 'a', send }] }
  const refused = await ask('/api/v1/journeys', { body: journey })
  assert.deepEqual(refusalOf(refused), [400, 'journey_invalid'])
  assert.match(refused.text, /steps\[0\]\.send\.topic: there is no topic offers/)
  await ask(PATH, { body: OFFERS })
  assert.equal((await ask('/api/v1/journeys', { body: journey })).status, 200)
})
