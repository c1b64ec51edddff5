import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { apiOf } from '../support/journeys/runs.ts'
import { startServer } from '../support/processes/server.ts'

const server = await startServer()
after(server.close)
let api: ReturnType<typeof apiOf>
test.beforeEach(async () => {
  api = apiOf(server.port, await server.brand())
})

const PATH = '/api/v1/snippets'
const ALL = '/api/v1/android/broadcast/all'

async function make(name: string, text: string): Promise<void> {
  const { status, text: reply } = await api('POST', PATH, { name, text })
  assert.equal(status, 200, reply)
}

async function refusalOf(method: string, path: string, body?: object): Promise<readonly unknown[]> {
  const answer = await api(method, path, body)
  return [answer.status, answer.body['code']]
}

/** The title that is stored for a push. */
async function storedTitle(body: object): Promise<unknown> {
  const sent = await api('POST', ALL, body)
  assert.equal(sent.status, 200, sent.text)
  const { id } = Object(sent.body['notification'])
  return Object((await api('GET', `/api/v1/notifications/${id}`)).body['notification']).title
}

test('200 makes, reads, lists, changes and deletes a snippet', async () => {
  await make('greeting', 'Hello')
  await make('bye', 'Bye {% render "greeting" %}')
  const read = await api('GET', `${PATH}/bye`)
  const { created_at, updated_at, ...rest } = Object(read.body['snippet'])
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, {
    name: 'bye',
    version: 1,
    text: 'Bye {% render "greeting" %}',
    renders: ['greeting'],
  })
  const list = await api('GET', PATH)
  assert.deepEqual(
    Array.from(Object(list.body['snippets']), (row) => Object(row).name),
    ['bye', 'greeting'],
  )
  const changed = await api('PATCH', `${PATH}/bye`, { version: 1, text: 'Ciao' })
  assert.deepEqual(
    [Object(changed.body['snippet']).version, Object(changed.body['snippet']).renders],
    [2, []],
    changed.text,
  )
  assert.equal((await api('DELETE', `${PATH}/bye`)).status, 200)
  assert.deepEqual(await refusalOf('GET', `${PATH}/bye`), [404, 'snippet_not_found'])
})

test('a snippet is put into templates and pushes when they are accepted', async () => {
  await make('greeting', 'Hello {{ user.name }}')
  const text = { title: '{% render "greeting" %}!', message: 'm' }
  assert.equal(await storedTitle(text), 'Hello {{ user.name }}!')
  const made = await api('POST', '/api/v1/templates', { name: 'n', content: text })
  assert.equal(made.status, 200, made.text)
  const { template_id, snippets } = Object(made.body['template'])
  assert.deepEqual(snippets, ['greeting'])
  await api('PATCH', `${PATH}/greeting`, { version: 1, text: 'Hi {{ user.name }}' })
  assert.equal(await storedTitle({ template_id }), 'Hi {{ user.name }}!')
})

test('400 for a circle of snippets, with its path, and for a snippet that is not there', async () => {
  await make('a', 'A')
  await make('b', '{% render "a" %}')
  const circle = await api('PATCH', `${PATH}/a`, { version: 1, text: '{% render "b" %}' })
  assert.deepEqual([circle.status, circle.body['code']], [400, 'template_invalid'])
  assert.match(circle.text, /in a circle: \\"a\\" → \\"b\\" → \\"a\\"/)
  const missing = await api('POST', ALL, { title: '{% render "gone" %}', message: 'm' })
  assert.deepEqual([missing.status, missing.body['code']], [400, 'template_invalid'])
  assert.match(missing.text, /there is no snippet \\"gone\\"/)
  const inTemplate = await api('POST', '/api/v1/templates', {
    name: 'n',
    content: { title: 't', message: '{% render "gone" %}' },
  })
  assert.deepEqual(
    [inTemplate.status, Object(Object(inTemplate.body['errors'])[0]).field],
    [400, 'content.message'],
  )
})

test('two changes at once that would make a circle together: one is refused', async () => {
  await make('x', 'X')
  await make('y', 'Y')
  const answers = await Promise.all([
    api('PATCH', `${PATH}/x`, { version: 1, text: '{% render "y" %}' }),
    api('PATCH', `${PATH}/y`, { version: 1, text: '{% render "x" %}' }),
  ])
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 400]))
})

test('409 for a stale version, a taken name, and a snippet that is in use', async () => {
  await make('used', 'u')
  assert.deepEqual(await refusalOf('POST', PATH, { name: 'used', text: 'v' }), [409, 'snippet_exists'])
  const patch = await refusalOf('PATCH', `${PATH}/used`, { version: 7, text: 'v' })
  assert.deepEqual(patch, [409, 'version_stale'])
  await make('user', '{% render "used" %}')
  const made = await api('POST', '/api/v1/templates', {
    name: 'n',
    content: { title: 't', message: '{% render "used" %}' },
  })
  const { template_id } = Object(made.body['template'])
  const refused = await api('DELETE', `${PATH}/used`)
  assert.deepEqual([refused.status, refused.body['code']], [409, 'snippet_in_use'])
  assert.match(refused.text, new RegExp(`snippet user, template ${template_id}`))
  await api('POST', `/api/v1/templates/${template_id}/archive`)
  await api('DELETE', `${PATH}/user`)
  assert.equal((await api('DELETE', `${PATH}/used`)).status, 200)
})

test('400 for a bad name or a bad text; another brand’s snippet is not found', async () => {
  for (const name of ['', 'Upper', '-x', 'a b', 'a"b', 'x'.repeat(65)]) {
    assert.equal((await api('POST', PATH, { name, text: 't' })).status, 400, name)
  }
  for (const text of ['', '{% if %}', '{{ x | nofilter }}', 'x'.repeat(4_001)]) {
    assert.equal((await api('POST', PATH, { name: 'n', text })).status, 400, text.slice(0, 20))
  }
  await make('mine', 'm')
  const other = apiOf(server.port, await server.brand())
  assert.equal((await other('GET', `${PATH}/mine`)).status, 404)
  assert.equal((await other('DELETE', `${PATH}/mine`)).status, 404)
  const used = await other('POST', ALL, { title: '{% render "mine" %}', message: 'm' })
  assert.equal(used.body['code'], 'template_invalid')
  assert.equal((await api('GET', `${PATH}/a%00b`)).body['code'], 'snippet_not_found')
})

test('data of the app is no Liquid: a tag in it stays', async () => {
  const answer = await api('POST', ALL, { title: 't', message: 'm', data: { x: '{% render "gone" %}' } })
  assert.equal(answer.status, 200, answer.text)
})
