import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { TestBrand } from '../support/database/database.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const PATH = '/api/v1/templates/preview'
const CONTENT = { title: 'Hello {{ user.name }}', message: '{% render "teas" %}' }

const server = await startServer()
after(server.close)
let brand: TestBrand
test.beforeEach(async () => {
  brand = await server.brand()
  await ask('/api/v1/snippets', { name: 'teas', text: 'The teas of {{ user.city | default: "here" }}' })
  await ask('/api/v1/user/create', {
    nv: [
      { userID: 'ada', user_attributes: { name: '<b>Ada</b>', city: 'Paris', language: 'fr' } },
      { userID: 'grace', user_attributes: { name: 'Grace' } },
    ],
  })
  await ask('/api/v1/subscriptions', { platform: 'android', user_id: 'grace', token: 'grace' })
})

const ask = async (path: string, body?: object): Promise<Answer> =>
  call(server.port, { path, headers: keyHeaders(brand), ...(body === undefined ? {} : { body }) })
const shownIn = (answer: Answer, platform: string): readonly unknown[] => {
  assert.equal(answer.status, 200, answer.text)
  const one = Object(Object(answer.body['platforms'])[platform])
  return [one.language, one.shown?.title, one.shown?.message]
}

test('200 previews a content that is not saved, for a person without a device, with its snippets', async () => {
  const answer = await ask(PATH, { content: CONTENT, user_id: 'ada' })
  for (const platform of ['android', 'ios', 'web']) {
    assert.deepEqual(shownIn(answer, platform), [null, 'Hello <b>Ada</b>', 'The teas of Paris'])
  }
  assert.deepEqual((await ask('/api/v1/templates')).body['templates'], [])
})

test('200 previews for somebody with a device of the platform when nobody is named, and for a stranger else', async () => {
  const answer = await ask(PATH, { content: CONTENT, platforms: ['android', 'web'] })
  assert.deepEqual(shownIn(answer, 'android'), [null, 'Hello Grace', 'The teas of here'])
  assert.deepEqual(shownIn(answer, 'web'), [null, 'Hello ', 'The teas of here'])
  assert.equal(Object(answer.body['platforms']).ios, undefined)
})

test('200 previews the language of the person, or the one that is asked for', async () => {
  const languages = { fr: { title: 'Bonjour' } }
  const content = { title: 'Hello', message: 'Tea', languages }
  const own = await ask(PATH, { content, platforms: ['web'], user_id: 'ada' })
  assert.deepEqual(shownIn(own, 'web'), ['fr', 'Bonjour', 'Tea'])
  const asked = await ask(PATH, { content, platforms: ['web'], user_id: 'grace', language: 'fr' })
  assert.deepEqual(shownIn(asked, 'web'), ['fr', 'Bonjour', 'Tea'])
  const base = await ask(PATH, { content, platforms: ['web'], user_id: 'ada', language: 'default' })
  assert.deepEqual(shownIn(base, 'web'), ['default', 'Hello', 'Tea'])
})

test('400 for a content that no template could have, by its path; 404 for nobody', async () => {
  const long = await ask(PATH, { content: { title: 'x'.repeat(71), message: 'Tea' } })
  assert.deepEqual([long.status, long.body['code']], [400, 'template_unfit'], long.text)
  const broken = await ask(PATH, { content: { title: '{{ user.name', message: 'Tea' } })
  assert.equal(Object(broken.body['errors'])[0].field, 'content.title', broken.text)
  const nobody = await ask(PATH, { content: CONTENT, user_id: 'nobody' })
  assert.deepEqual([nobody.status, nobody.body['code']], [404, 'profile_not_found'])
})

test('200 finds templates by a part of their name and by a snippet, and snippets by their text', async () => {
  for (const [name, message] of [
    ['Autumn teas', '{% render "teas" %}'],
    ['Winter teas', 'They come on Monday.'],
    ['Cups', 'Blue ones.'],
  ]) {
    assert.equal((await ask('/api/v1/templates', { name, content: { title: 'a', message } })).status, 200)
  }
  await ask('/api/v1/snippets', { name: 'shop', text: 'See {% render "teas" %}' })
  const names = async (path: string, list: string): Promise<readonly unknown[]> =>
    Array.from(Object((await ask(path)).body[list]), (row) => Object(row).name)
  assert.deepEqual(await names('/api/v1/templates?text=TEAS', 'templates'), ['Autumn teas', 'Winter teas'])
  assert.deepEqual(await names('/api/v1/templates?renders=teas', 'templates'), ['Autumn teas'])
  assert.deepEqual(await names('/api/v1/snippets?text=see', 'snippets'), ['shop'])
  assert.deepEqual(await names('/api/v1/snippets?renders=teas', 'snippets'), ['shop'])
})
