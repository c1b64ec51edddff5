import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { PLATFORMS } from '../../src/rules/platforms.ts'
import { SAVED_TEMPLATE_LIMITS } from '../../src/rules/templates.ts'
import type { TestBrand } from '../support/database/database.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const PATH = '/api/v1/templates'
const CONTENT = { title: 'Hello {{ user.name }}', message: 'The autumn teas are here.' }

const server = await startServer()
after(server.close)
let brand: TestBrand
test.beforeEach(async () => {
  brand = await server.brand()
})

const askAs = async (of: TestBrand, path: string, body?: object, method?: string): Promise<Answer> =>
  call(server.port, {
    path,
    headers: keyHeaders(of),
    ...(body === undefined ? {} : { body }),
    ...(method === undefined ? {} : { method }),
  })
const ask = async (path: string, body?: object, method?: string): Promise<Answer> =>
  askAs(brand, path, body, method)
const memberOf = (answer: Answer, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => Reflect.get(Object(value), name), answer.body)
const create = async (body: object = {}): Promise<number> => {
  const answer = await ask(PATH, { name: 'Autumn', content: CONTENT, ...body })
  assert.equal(answer.status, 200, answer.text)
  return Number(memberOf(answer, 'template', 'template_id'))
}
const change = async (id: number, body: object): Promise<Answer> => ask(`${PATH}/${id}`, body, 'PATCH')
const register = async (userId: string, attributes: object = {}): Promise<void> => {
  await ask('/api/v1/user/create', { nv: [{ userID: userId, user_attributes: attributes }] })
  const answer = await ask('/api/v1/subscriptions', { platform: 'android', user_id: userId, token: userId })
  assert.equal(answer.status, 200, answer.text)
}
const shownOf = async (sent: Answer): Promise<unknown> => {
  assert.equal(sent.status, 200, sent.text)
  const { body } = await ask(`/api/v1/notifications/${String(memberOf(sent, 'notification', 'id'))}`)
  return body['notification']
}
const pick = (value: unknown, ...names: readonly string[]): readonly unknown[] =>
  names.map((name) => Reflect.get(Object(value), name))

test('200 creates a template, reads it, lists it, and shows every version', async () => {
  const id = await create({ platforms: ['web', 'ios'] })
  const read = await ask(`${PATH}/${id}`)
  const { created_at, updated_at, ...rest } = Object(read.body['template'])
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, {
    template_id: id,
    name: 'Autumn',
    version: 1,
    content: CONTENT,
    platforms: ['ios', 'web'],
    snippets: [],
    archived_at: null,
  })
  const changed = await change(id, { version: 1, content: { ...CONTENT, title: 'Hi' } })
  assert.deepEqual(pick(memberOf(changed, 'template'), 'version', 'name'), [2, 'Autumn'], changed.text)
  const versions = await ask(`${PATH}/${id}/versions`)
  assert.deepEqual(
    Array.from(Object(versions.body['versions']), (row) => pick(row, 'version', 'content')),
    [
      [2, { ...CONTENT, title: 'Hi' }],
      [1, CONTENT],
    ],
  )
  const first = await ask(`${PATH}/${id}/versions/1`)
  assert.deepEqual(memberOf(first, 'version', 'content'), CONTENT)
  assert.equal((await ask(`${PATH}/${id}/versions/3`)).body['code'], 'template_not_found')
  const list = await ask(PATH)
  assert.deepEqual(
    Array.from(Object(list.body['templates']), (row) => pick(row, 'template_id', 'version')),
    [[id, 2]],
  )
})

test('409 for a change of a version that is not the newest, and the newest stays', async () => {
  const id = await create()
  const [one, two] = await Promise.all([
    change(id, { version: 1, name: 'One' }),
    change(id, { version: 1, name: 'Two' }),
  ])
  assert.deepEqual(new Set([one.status, two.status]), new Set([200, 409]))
  const stale = one.status === 409 ? one : two
  assert.equal(stale.body['code'], 'version_stale')
  assert.match(stale.text, /The newest version is 2, and you changed version 1/)
  assert.equal(memberOf(await ask(`${PATH}/${id}`), 'template', 'version'), 2)
  assert.equal((await change(id, { name: 'Three' })).body['code'], 'field_missing')
})

test('404 for another brand’s template, wherever it is named', async () => {
  const id = await create()
  const other = await server.brand()
  const answers = [
    await askAs(other, `${PATH}/${id}`),
    await askAs(other, `${PATH}/${id}`, { version: 1, name: 'Mine' }, 'PATCH'),
    await askAs(other, `${PATH}/${id}/versions`),
    await askAs(other, `${PATH}/${id}/versions/1`),
    await askAs(other, `${PATH}/${id}/archive`, undefined, 'POST'),
    await askAs(other, `${PATH}/${id}/duplicate`, {}),
    await askAs(other, `${PATH}/${id}/preview`, { platform: 'android', user_id: 'ada' }),
    await askAs(other, '/api/v1/android/broadcast/all', { template_id: id }),
    await askAs(other, '/api/v1/journeys', {
      name: 'j',
      trigger: { event: 'signup' },
      steps: [{ id: 'a', send: { to: 'android', template_id: id } }],
    }),
  ]
  for (const answer of answers) {
    assert.deepEqual([answer.status, answer.body['code']], [404, 'template_not_found'], answer.text)
  }
  assert.equal((await ask(`${PATH}/x`)).body['code'], 'template_not_found')
})

test('200 sends with a template: its content, the caller’s own fields first, and the notification names it', async () => {
  await register('ada', { name: 'Ada' })
  const id = await create({ content: { ...CONTENT, url: 'https://shop.example/autumn', ttl_seconds: 60 } })
  const plain = await shownOf(await ask('/api/v1/android/send', { user_id: 'ada', template_id: id }))
  assert.deepEqual(pick(plain, 'title', 'message', 'url', 'template_id', 'template_version'), [
    CONTENT.title,
    CONTENT.message,
    'https://shop.example/autumn',
    id,
    1,
  ])
  await change(id, { version: 1, content: { title: 'New', message: 'Newer' } })
  const own = await ask('/api/v1/android/broadcast/all', { template_id: String(id), message: 'My own' })
  assert.deepEqual(pick(await shownOf(own), 'title', 'message', 'template_version'), ['New', 'My own', 2])
  const pinned = await ask('/api/v1/ios/broadcast/all', { template_id: id, template_version: 1 })
  assert.deepEqual(pick(await shownOf(pinned), 'title', 'url', 'template_version'), [
    CONTENT.title,
    'https://shop.example/autumn',
    1,
  ])
  const dry = await ask('/api/v1/android/send', { user_id: 'ada', template_id: id, dry_run: true })
  assert.match(JSON.stringify(dry.body['payload']), /Newer/)
})

test('400 for a version without a template, 404 for a version that is not there', async () => {
  const id = await create()
  const path = '/api/v1/android/broadcast/all'
  const texts = { title: 'a', message: 'b' }
  assert.equal((await ask(path, { ...texts, template_version: 1 })).body['code'], 'field_conflict')
  assert.equal((await ask(path, { template_id: id, template_version: 2 })).body['code'], 'template_not_found')
  for (const version of [0, 2 ** 32 + 1, 'x']) {
    const answer = await ask(path, { ...texts, template_id: id, template_version: version })
    assert.equal(answer.status, 400, String(version))
    assert.equal(memberOf(answer, 'errors', '0', 'field'), 'template_version')
  }
  assert.equal((await ask(path, { ...texts, template_id: 'x' })).body['code'], 'field_type')
})

test('404 for an archived template; what was accepted with it is still replayed', async () => {
  const id = await create()
  const send = async (key: string): Promise<Answer> =>
    call(server.port, {
      path: '/api/v1/android/broadcast/all',
      headers: { ...keyHeaders(brand), 'idempotency-key': key },
      body: { template_id: id },
    })
  const sent = await send('k1')
  assert.equal(sent.status, 200, sent.text)
  const archived = await ask(`${PATH}/${id}/archive`, undefined, 'POST')
  assert.notEqual(memberOf(archived, 'template', 'archived_at'), null)
  assert.equal((await send('k2')).body['code'], 'template_not_found')
  assert.deepEqual(memberOf(await send('k1'), 'notification', 'id'), memberOf(sent, 'notification', 'id'))
  assert.deepEqual((await ask(PATH)).body['templates'], [])
  assert.equal(Array.from(Object((await ask(`${PATH}?archived=true`)).body['templates'])).length, 1)

  const copy = await ask(`${PATH}/${id}/duplicate`, { name: 'Again' })
  assert.deepEqual(pick(memberOf(copy, 'template'), 'name', 'version', 'content', 'archived_at'), [
    'Again',
    1,
    CONTENT,
    null,
  ])
})

test('400 names the platform that a text is too long for, when it is saved and when it is used', async () => {
  const title = 'x'.repeat((PLATFORMS.android.titleCharsMax ?? 0) + 1)
  const content = { title, message: 'm' }
  const all = await ask(PATH, { name: 'n', content })
  assert.deepEqual([all.status, all.body['code']], [400, 'template_unfit'])
  assert.match(all.text, /content.title does not fit android and ios/)
  const id = await create({ content, platforms: ['web'] })
  const used = await ask('/api/v1/android/broadcast/all', { template_id: id })
  assert.deepEqual([used.status, used.body['code']], [400, 'template_unfit'])
  assert.match(
    used.text,
    new RegExp(`Template ${id}, version 1, does not fit android. title may have at most`),
  )
  assert.equal((await ask('/api/v1/web/broadcast/all', { template_id: id })).status, 200)
  const own = await ask('/api/v1/android/broadcast/all', { template_id: id, title: 'short' })
  assert.equal(own.status, 200, own.text)
})

test('200 leaves out a field of the template that the platform lacks, without a warning', async () => {
  const id = await create({ content: { ...CONTENT, sound: 'bell.caf', android_channel: 'news' } })
  const { status, body } = await ask('/api/v1/web/broadcast/all', { template_id: id, dry_run: true })
  assert.equal(status, 200)
  const fields = Array.from(Object(body['warnings'] ?? []), (row) => Reflect.get(Object(row), 'field'))
  assert.ok(!fields.includes('sound') && !fields.includes('android_channel'), fields.join())
})

test('400 for a content with a bad, an unknown or a missing field, by its path', async () => {
  const bad = { title: '{{ user.name', url: 'x', colour: 'red' }
  const { body } = await ask(PATH, { name: 'n', content: bad })
  assert.deepEqual(
    new Set(Array.from(Object(body['errors']), (row) => Reflect.get(Object(row), 'field'))),
    new Set(['content.colour', 'content.message', 'content.title', 'content.url']),
  )
  assert.equal((await ask(PATH, { name: 'n', content: CONTENT, platforms: ['tv'] })).status, 400)
  assert.equal((await ask(PATH, { content: CONTENT })).body['code'], 'field_missing')
})

test('409 beyond the number of templates that a brand may have', async () => {
  const { brandId } = brand
  await server.deps.database.query(
    `with made as (
       insert into templates (brand_id, name, created_at, updated_at)
       select $1, 'seeded', now(), now() from generate_series(1, $2) returning id
     )
     insert into template_versions (brand_id, template_id, version, name, content, platforms, snippets, created_at)
     select $1, id, 1, 'seeded', '{}', '{}', '{}', now() from made`,
    [brandId, SAVED_TEMPLATE_LIMITS.templatesMax - 1],
  )
  await create()
  assert.equal((await ask(PATH, { name: 'n', content: CONTENT })).body['code'], 'template_limit')
})

test('200 previews a template for a person; markup of the person stays text', async () => {
  const name = '{{ user.secret }} <b>"x"</b> {% render "gone" %}'
  await register('mark', { name, secret: 'hidden' })
  const id = await create({ content: { ...CONTENT, message: 'For {{ user.nobody }}you' } })
  const preview = await ask(`${PATH}/${id}/preview`, { platform: 'android', user_id: 'mark' })
  assert.equal(preview.status, 200, preview.text)
  assert.deepEqual(
    pick(preview.body['preview'], 'template_id', 'version', 'platform', 'title', 'message', 'texts_cut'),
    [id, 1, 'android', `Hello ${name}`, 'For you', 0],
  )
  assert.match(JSON.stringify(memberOf(preview, 'preview', 'payload')), /user\.secret/)
  assert.match(JSON.stringify(preview.body['warnings']), /user\.nobody/)
})

test('200 previews the cut of a text that is too long for this person, and one version', async () => {
  await register('long', { name: 'y '.repeat(100) })
  const id = await create()
  await change(id, { version: 1, content: { title: 'Second', message: 'b' } })
  const ask1 = async (version?: number): Promise<Answer> =>
    ask(`${PATH}/${id}/preview`, { platform: 'android', user_id: 'long', version: version ?? null })
  const first = await ask1(1)
  assert.deepEqual(pick(first.body['preview'], 'version', 'texts_cut'), [1, 1], first.text)
  const title = String(memberOf(first, 'preview', 'title'))
  assert.ok(title.length <= (PLATFORMS.android.titleCharsMax ?? 0), title)
  assert.deepEqual(pick((await ask1()).body['preview'], 'version', 'title'), [2, 'Second'])
  assert.equal((await ask1(3)).body['code'], 'template_not_found')
})

test('a preview needs somebody with a device on the platform', async () => {
  await register('ada')
  const id = await create()
  const preview = async (body: object): Promise<unknown> =>
    (await ask(`${PATH}/${id}/preview`, body)).body['code']
  assert.equal(await preview({ platform: 'android' }), 'identifier_missing')
  assert.equal(await preview({ platform: 'ios', user_id: 'ada' }), 'no_live_subscription')
  assert.equal(await preview({ platform: 'android', user_id: 'nobody' }), 'subscriber_not_found')
  assert.equal(await preview({ user_id: 'ada' }), 'field_missing')
  assert.equal(await preview({ platform: 'tv', user_id: 'ada' }), 'field_type')
})

test('a template in several languages is sent and previewed in the person’s language', async () => {
  await ask('/api/v1/snippets', { name: 'salut', text: 'Salut {{ user.name }}' })
  const languages = { fr: { title: '{% render "salut" %}' } }
  const id = await create({ content: { ...CONTENT, languages } })
  await ask('/api/v1/user/create', { nv: [{ userID: 'fr', user_attributes: { name: 'Ada' } }] })
  const device = { platform: 'android', user_id: 'fr', token: 'fr', language: 'fr-CA' }
  assert.equal((await ask('/api/v1/subscriptions', device)).status, 200)
  const preview = await ask(`${PATH}/${id}/preview`, { platform: 'android', user_id: 'fr' })
  assert.deepEqual(
    pick(preview.body['preview'], 'language', 'title', 'message'),
    ['fr', 'Salut Ada', CONTENT.message],
    preview.text,
  )
  assert.match(JSON.stringify(memberOf(preview, 'preview', 'payload')), /Salut Ada/)
  const sent = await ask('/api/v1/android/send', { user_id: 'fr', template_id: id })
  assert.equal(sent.status, 200, sent.text)
  const { rows } = await server.deps.database.query<{ title: string }>(
    `select alternatives #>> '{contents,/fr,title}' as title from notifications where brand_id = $1`,
    [brand.brandId],
  )
  assert.deepEqual(rows, [{ title: 'Salut {{ user.name }}' }])

  const title = 'x'.repeat((PLATFORMS.ios.titleCharsMax ?? 0) + 1)
  const long = await ask(PATH, { name: 'n', content: { ...CONTENT, languages: { de: { title } } } })
  assert.deepEqual([long.status, long.body['code']], [400, 'template_unfit'])
  assert.match(long.text, /content\.languages\.de\.title does not fit android and ios/)
})
