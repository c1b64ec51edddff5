import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SEGMENT_FORMAT, SEGMENT_LIMITS } from '../../src/rules/segments.ts'
import type { TestBrand } from '../support/database/database.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const PATH = '/api/v1/segments'
const VIP = { tag: 'vip' }

const server = await startServer()
after(server.close)
let brand: TestBrand
test.beforeEach(async () => {
  brand = await server.brand()
})

const ask = async (path: string, body?: object | string, method?: string): Promise<Answer> =>
  call(server.port, {
    path,
    headers: keyHeaders(brand),
    ...(body === undefined ? {} : { body }),
    ...(method === undefined ? {} : { method }),
  })
const create = async (body: object | string): Promise<Answer> => ask(PATH, body)
const register = async (body: object): Promise<Answer> =>
  ask('/api/v1/subscriptions', { platform: 'android', ...body })
const shown = ({ body }: Answer): Readonly<Record<string, unknown>> => Object(body['segment'])
const fieldsIn = (body: Answer['body']): readonly unknown[] =>
  Array.from(Object(body['errors']), (row) => Reflect.get(Object(row), 'field'))
const listed = ({ body }: Answer, name: string, field: string): readonly unknown[] =>
  Array.from(Object(body[name]), (row) => Reflect.get(Object(row), field))

test('200 creates a segment, with the size it has', async () => {
  await register({ token: 't1', tags: ['vip'] })
  const answer = await create({ name: 'VIPs', filter: VIP })
  assert.equal(answer.status, 200, answer.text)
  const { segment_id: id, created_at, updated_at, sized_at, ...rest } = shown(answer)
  assert.equal(typeof id, 'number')
  assert.deepEqual(rest, { name: 'VIPs', filter: VIP, size: 1, size_reason: null, archived_at: null })
  assert.deepEqual(new Set([created_at, updated_at]), new Set([sized_at]))
})

test('200 takes an id of the caller’s own, int64 exact in and out', async () => {
  for (const id of ['9223372036854775807', '"9007199254740993"', '-9223372036854775808']) {
    const made = await create(`{"name":"n","filter":{"tag":"x"},"segment_id":${id}}`)
    const digits = id.replaceAll('"', '')
    assert.match(made.text, new RegExp(`"segment_id":${digits},`))
    assert.match((await ask(`${PATH}/${digits}`)).text, new RegExp(`"segment_id":${digits},`))
  }
  const ids = listed(await ask(PATH), 'segments', 'segment_id')
  assert.deepEqual(ids, [-9223372036854775808n, 9007199254740993n, 9223372036854775807n])
})

test('409 for an id that is taken, and a made-up id never is', async () => {
  const first = shown(await create({ name: 'n', filter: VIP }))['segment_id']
  const next = Number(first) + 1
  assert.equal((await create({ name: 'n', filter: VIP, segment_id: next })).status, 200)
  assert.equal((await create({ name: 'n', filter: VIP, segment_id: next })).body['code'], 'segment_exists')
  const made = await create({ name: 'n', filter: VIP })
  assert.equal(made.status, 200)
  assert.notEqual(shown(made)['segment_id'], next)
})

test('400 names the path of every bad node of a filter', async () => {
  const filter = { all: [VIP, { any: [{ tga: 'x' }, { users: 'u1' }] }, { not: {} }] }
  const { status, body } = await create({ name: 'n', filter })
  assert.deepEqual([status, body['code']], [400, 'filter_invalid'])
  assert.deepEqual(fieldsIn(body), [
    'filter.all[1].any[0]',
    'filter.all[1].any[1].users',
    'filter.all[2].not',
  ])
})

test('400 for a segment without a name, without a filter, or with a name one character too long', async () => {
  const name = 'n'.repeat(SEGMENT_LIMITS.nameCharsMax)
  assert.equal((await create({ name, filter: VIP })).status, 200)
  assert.equal((await create({ name: `${name}n`, filter: VIP })).body['code'], 'field_too_long')
  const { body } = await create({})
  assert.deepEqual(fieldsIn(body), ['name', 'filter'])
})

test('200 previews size, platforms and a sample, and saves nothing', async () => {
  await register({ token: 't1', tags: ['vip'], subscription_id: 's1' })
  await register({ token: 't2', user_id: 'ann', subscription_id: 's2' })
  await register({ token: 't3', tags: ['vip'], user_id: 'bob' })
  await register({ platform: 'ios', token: 'ab'.repeat(32), tags: ['vip'] })
  const filter = { any: [{ all: [VIP, { not: { users: ['bob'] } }] }, { users: ['ann'] }] }
  const answer = await ask(`${PATH}/preview`, { filter })
  assert.deepEqual([answer.body['count'], answer.body['platforms']], [3, { android: 2, ios: 1 }])
  assert.deepEqual(listed(answer, 'sample', 'subscription_id').slice(0, 2), ['s1', 's2'])
  assert.deepEqual(listed(await ask(PATH), 'segments', 'segment_id'), [])
})

test('200 lists members page by page, live ones only', async () => {
  for (const at of [1, 2, 3, 4]) {
    await register({ token: `t${at}`, tags: ['vip'], subscription_id: `s${at}` })
  }
  await ask('/api/v1/subscriptions/s2/unsubscribe', undefined, 'POST')
  const id = String(shown(await create({ name: 'n', filter: VIP }))['segment_id'])
  const first = await ask(`${PATH}/${id}/members?limit=2`)
  assert.deepEqual(listed(first, 'subscriptions', 'subscription_id'), ['s1', 's3'])
  const second = await ask(`${PATH}/${id}/members?limit=2&cursor=${String(first.body['next_cursor'])}`)
  assert.deepEqual(listed(second, 'subscriptions', 'subscription_id'), ['s4'])
  const onPhones = await ask(`${PATH}/${id}/members?platform=ios`)
  assert.deepEqual(listed(onPhones, 'subscriptions', 'subscription_id'), [])
  const onAndroid = await ask(`${PATH}/${id}/members?platform=android`)
  assert.deepEqual(listed(onAndroid, 'subscriptions', 'subscription_id'), ['s1', 's3', 's4'])
})

test('200 changes what is named and nothing else, and reading counts anew', async () => {
  await register({ token: 't1', tags: ['new'] })
  const id = String(shown(await create({ name: 'n', filter: VIP }))['segment_id'])
  const named = shown(await ask(`${PATH}/${id}`, { name: 'm' }, 'PATCH'))
  assert.deepEqual([named['name'], named['filter'], named['size']], ['m', VIP, 0])
  const filtered = shown(await ask(`${PATH}/${id}`, { filter: { tag: 'new' } }, 'PATCH'))
  assert.deepEqual([filtered['name'], filtered['filter'], filtered['size']], ['m', { tag: 'new' }, 1])
  await register({ token: 't2', tags: ['new'] })
  assert.equal(shown(await ask(`${PATH}/${id}`))['size'], 2)
})

test('200 archives once; the list shows it only when asked', async () => {
  const id = shown(await create({ name: 'n', filter: VIP }))['segment_id']
  const first = shown(await ask(`${PATH}/${String(id)}/archive`, undefined, 'POST'))
  assert.equal(typeof first['archived_at'], 'string')
  assert.deepEqual(shown(await ask(`${PATH}/${String(id)}/archive`, undefined, 'POST')), first)
  assert.deepEqual(listed(await ask(PATH), 'segments', 'segment_id'), [])
  assert.deepEqual(listed(await ask(`${PATH}?archived=true`), 'segments', 'segment_id'), [id])
})

test('404 for a segment that is unknown, another brand’s or no id at all', async () => {
  const id = String(shown(await create({ name: 'n', filter: VIP }))['segment_id'])
  brand = await server.brand()
  for (const path of [id, '0', 'x', '9223372036854775808', '1e3', '%00']) {
    assert.equal((await ask(`${PATH}/${path}`)).body['code'], 'segment_not_found', path)
    assert.equal((await ask(`${PATH}/${path}`, { name: 'm' }, 'PATCH')).status, 404, path)
    assert.equal((await ask(`${PATH}/${path}/archive`, undefined, 'POST')).status, 404, path)
    assert.equal((await ask(`${PATH}/${path}/members`)).status, 404, path)
  }
})

test('200 a segment may refer to others, and follows when they change', async () => {
  await register({ token: 't1', tags: ['vip'] })
  await register({ token: 't2', tags: ['beta'] })
  const vip = shown(await create({ name: 'n', filter: VIP }))['segment_id']
  const rest = await create({ name: 'm', filter: { not: { segment: vip } } })
  assert.deepEqual([shown(rest)['size'], shown(rest)['filter']], [1, { not: { segment: vip } }])
  await ask(`${PATH}/${String(vip)}`, { filter: { any: [VIP, { tag: 'beta' }] } }, 'PATCH')
  assert.equal(shown(await ask(`${PATH}/${String(shown(rest)['segment_id'])}`))['size'], 0)
  const preview = await ask(`${PATH}/preview`, { filter: { segment: vip } })
  assert.equal(preview.body['count'], 2)
})

test('200 for a segment that was saved when filters could be larger: it is read, not judged again', async () => {
  await register({ token: 't1', tags: ['vip'] })
  const id = String(shown(await create({ name: 'n', filter: { tag: 'other' } }))['segment_id'])
  const many = Array.from({ length: SEGMENT_LIMITS.nodesMax }, (_, at) => ({ tag: `t${at}` }))
  const { database } = server.deps
  await database.query(
    'update segments set filter = $3, filter_version = 0 where brand_id = $1 and id = $2',
    [brand.brandId, id, JSON.stringify({ any: [...many, VIP] })],
  )
  const read = await ask(`${PATH}/${id}`)
  assert.deepEqual([read.status, shown(read)['size']], [200, 1], read.text)
  const members = await ask(`${PATH}/${id}/members`)
  assert.equal(listed(members, 'subscriptions', 'tags').length, 1)
  const format = async (body: object): Promise<unknown> => {
    await ask(`${PATH}/${id}`, body, 'PATCH')
    const { rows } = await database.query(
      'select filter_version as format from segments where brand_id = $1 and id = $2',
      [brand.brandId, id],
    )
    return rows[0]
  }
  assert.deepEqual(await format({ name: 'renamed' }), { format: 0 })
  assert.deepEqual(await format({ filter: VIP }), { format: SEGMENT_FORMAT })
})

test('400 for a reference that leads nowhere, to another brand or back to itself', async () => {
  const one = shown(await create({ name: 'n', filter: VIP }))['segment_id']
  const two = shown(await create({ name: 'm', filter: { segment: one } }))['segment_id']
  const circle = await ask(`${PATH}/${String(one)}`, { filter: { all: [VIP, { segment: two }] } }, 'PATCH')
  assert.deepEqual([circle.status, fieldsIn(circle.body)], [400, ['filter.all[1].segment']])
  brand = await server.brand()
  for (const path of [PATH, `${PATH}/preview`]) {
    const stray = await ask(path, { name: 'x', filter: { not: { segment: one } } })
    assert.deepEqual([stray.status, fieldsIn(stray.body)], [400, ['filter.not.segment']], path)
  }
})

test('400 for a segment that refers to itself, when it is made and when it is changed', async () => {
  const made = await create({ name: 'n', segment_id: 77, filter: { any: [VIP, { segment: 77 }] } })
  assert.deepEqual([made.status, fieldsIn(made.body)], [400, ['filter.any[1].segment']])
  assert.equal((await create({ name: 'n', segment_id: 77, filter: VIP })).status, 200)
  const changed = await ask(`${PATH}/77`, { filter: { not: { segment: 77 } } }, 'PATCH')
  assert.deepEqual([changed.status, fieldsIn(changed.body)], [400, ['filter.not.segment']])
  assert.equal(shown(await ask(`${PATH}/77`))['size'], 0)
})

test('segments that are made at once cannot refer to each other in a circle', async () => {
  const answers = await Promise.all([
    create({ name: 'a', segment_id: 1, filter: { segment: 2 } }),
    create({ name: 'b', segment_id: 2, filter: { segment: 1 } }),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [400, 400],
  )
})

test('one that is made and one that is changed at once cannot close a circle', async () => {
  await create({ name: 'a', segment_id: 1, filter: VIP })
  const [made, changed] = await Promise.all([
    create({ name: 'b', segment_id: 2, filter: { segment: 1 } }),
    ask(`${PATH}/1`, { filter: { segment: 2 } }, 'PATCH'),
  ])
  assert.deepEqual([made.status, changed.status], [200, 400])
})

test('rings of changes at once stay open, each of them', async () => {
  // Many, so that some would close if nobody held the others off.
  const rings = Array.from({ length: 8 }, (_, ring) => [1, 2, 3, 4].map((place) => 10 * ring + place))
  for (const id of rings.flat()) await create({ name: 'n', segment_id: id, filter: VIP })
  const refused = await Promise.all(
    rings.map(async (ring) => {
      const next = [...ring.slice(1), ...ring]
      const answers = await Promise.all(
        ring.map(async (id, at) => ask(`${PATH}/${id}`, { filter: { segment: next[at] } }, 'PATCH')),
      )
      return answers.filter(({ status }) => status === 400).length
    }),
  )
  assert.deepEqual(new Set(refused), new Set([1]))
})

test('two changes at once cannot close a circle between them', async () => {
  const ids = [await create({ name: 'a', filter: VIP }), await create({ name: 'b', filter: VIP })].map(
    (answer) => shown(answer)['segment_id'],
  )
  const [one, two] = ids
  const answers = await Promise.all([
    ask(`${PATH}/${String(one)}`, { filter: { segment: two } }, 'PATCH'),
    ask(`${PATH}/${String(two)}`, { filter: { segment: one } }, 'PATCH'),
  ])
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 400]))
})

test('200 finds people by what they are and do', async () => {
  await register({ token: 't1', user_id: 'ann', language: 'de', subscription_id: 's1' })
  await register({ token: 't2', user_id: 'bob', language: 'en', subscription_id: 's2' })
  await register({ token: 't3', language: 'de', subscription_id: 's3' })
  const nv = [{ userID: 'ann', event_name: 'buy', attributes: { price: 12 } }]
  const logged = await ask('/api/event', { nv })
  assert.equal(logged.status, 200, logged.text)
  const found = async (filter: object): Promise<readonly unknown[]> => {
    const answer = await ask(`${PATH}/preview`, { filter })
    assert.equal(answer.status, 200, answer.text)
    return listed(answer, 'sample', 'subscription_id')
  }
  const costly = { attribute: 'price', is: 'gte', value: 12 }
  assert.deepEqual(await found({ event: 'buy', within_days: 1, where: [costly] }), ['s1'])
  assert.deepEqual(await found({ event: 'buy', within_days: 1, count: { eq: 0 } }), ['s2', 's3'])
  assert.deepEqual(await found({ field: 'language', is: 'eq', value: 'de' }), ['s1', 's3'])
  assert.deepEqual(await found({ field: 'created_at', is: 'missing' }), ['s3'])
})
