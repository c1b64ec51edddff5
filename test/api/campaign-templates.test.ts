import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { TestBrand } from '../support/database/database.ts'
import { apiOf } from '../support/journeys/runs.ts'
import { startServer } from '../support/processes/server.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps

const CONTENT = {
  title: '{% render "hello" %}',
  message: 'The teas are here.',
  sound: 'bell.caf',
  languages: { fr: { title: 'Salut' } },
}
const TEXTS = `select platform, content ->> 'title' as title, alternatives #>> '{contents,/fr,title}' as french,
    template_id::integer as template, template_version as version
  from notifications where brand_id = $1 order by platform`

async function start(own: TestBrand) {
  const api = apiOf(server.port, own)
  await api('POST', '/api/v1/snippets', { name: 'hello', text: 'Hello' })
  const made = await api('POST', '/api/v1/templates', { name: 'n', content: CONTENT })
  assert.equal(made.status, 200, made.text)
  return { api, templateId: Number(Object(made.body['template']).template_id) }
}

test('a campaign takes the newest version of its template when it is launched, and names it', async () => {
  const own = await server.brand()
  const { api, templateId } = await start(own)
  const created = await api('POST', '/api/v1/campaigns', {
    name: 'c',
    audience: { everyone: true },
    platforms: ['android', 'web'],
    content: { template_id: templateId },
    web: { title: '{% render "hello" %}, web' },
  })
  assert.equal(created.status, 200, created.text)
  const { campaign_id: id, content } = Object(created.body['campaign'])
  assert.deepEqual(content, { template_id: templateId })

  await api('PATCH', `/api/v1/templates/${templateId}`, { version: 1, name: 'Renamed' })
  await api('PATCH', '/api/v1/snippets/hello', { version: 1, text: 'Hi' })
  const launched = await api('POST', `/api/v1/campaigns/${id}/launch`)
  assert.equal(launched.status, 200, launched.text)
  const { rows } = await database.query(TEXTS, [own.brandId])
  assert.deepEqual(rows, [
    { platform: 'android', title: 'Hi', french: 'Salut', template: templateId, version: 2 },
    { platform: 'web', title: 'Hi, web', french: 'Salut', template: templateId, version: 2 },
  ])
})

test('404 for another brand’s or an archived template, when a campaign is saved and when it is launched', async () => {
  const own = await server.brand()
  const { api, templateId } = await start(own)
  const draft = { name: 'c', audience: { everyone: true }, content: { template_id: templateId } }
  const other = apiOf(server.port, await server.brand())
  const refused = await other('POST', '/api/v1/campaigns', draft)
  assert.deepEqual([refused.status, refused.body['code']], [404, 'template_not_found'])
  assert.equal(Object(Object(refused.body['errors'])[0]).field, 'content.template_id')

  const created = await api('POST', '/api/v1/campaigns', draft)
  assert.equal(created.status, 200, created.text)
  await api('POST', `/api/v1/templates/${templateId}/archive`)
  const launched = await api(
    'POST',
    `/api/v1/campaigns/${Object(created.body['campaign']).campaign_id}/launch`,
  )
  assert.deepEqual([launched.status, launched.body['code']], [404, 'template_not_found'])
})

test('a variant may have a template of its own', async () => {
  const own = await server.brand()
  const { api, templateId } = await start(own)
  const created = await api('POST', '/api/v1/campaigns', {
    name: 'c',
    audience: { everyone: true },
    platforms: ['android'],
    content: { title: 'A', message: 'a' },
    variants: [
      { name: 'A', weight: 1 },
      { name: 'B', weight: 1, content: { template_id: templateId } },
    ],
  })
  assert.equal(created.status, 200, created.text)
  const { campaign_id: id } = Object(created.body['campaign'])
  const launched = await api('POST', `/api/v1/campaigns/${id}/launch`)
  assert.equal(launched.status, 200, launched.text)
  const { rows } = await database.query(
    `select content ->> 'title' as one, alternatives #>> '{contents,1/,title}' as two from notifications
     where brand_id = $1`,
    [own.brandId],
  )
  assert.deepEqual(rows, [{ one: 'A', two: 'Hello' }])
})
