import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { TestBrand } from '../support/database/database.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { apiOf, runJourneysAt } from '../support/journeys/runs.ts'
import { startServer } from '../support/processes/server.ts'

const { port, deps, brand, close } = await startServer()
after(close)

const CONTENT = { title: 'First {{ event.plan }}', message: '{% render "sign" %}' }

async function newJourney() {
  const own = await brand()
  const api = apiOf(port, own)
  await api('POST', '/api/v1/snippets', { name: 'sign', text: 'Yours' })
  const made = await api('POST', '/api/v1/templates', { name: 'n', content: CONTENT })
  const templateId: number = Object(made.body['template']).template_id
  const created = await api('POST', '/api/v1/journeys', {
    name: 'j',
    trigger: { event: 'signup' },
    steps: [{ id: 'a', send: { to: 'anywhere', template_id: templateId, url: 'https://shop.example/' } }],
  })
  assert.equal(created.status, 200, created.text)
  const journeyId: number = Object(created.body['journey']).journey_id
  return { own, api, templateId, path: `/api/v1/journeys/${journeyId}`, snippet: '/api/v1/snippets/sign' }
}

async function enter(own: TestBrand, userId: string): Promise<unknown> {
  const api = apiOf(port, own)
  await api('POST', '/api/v1/user/create', { nv: [{ userID: userId, user_attributes: { name: 'Ada' } }] })
  await api('POST', '/api/v1/subscriptions', { platform: 'android', token: userId, user_id: userId })
  const entry = entryOf({ userID: userId, event_name: 'signup', attributes: { plan: 'gold' } })
  assert.equal((await logEntries(port, own, [entry])).status, 200)
  await runJourneysAt(deps.database, own.brandId, Date.now() + 1_000)
  const { body } = await api('GET', '/api/v1/notifications?limit=1')
  const [{ title, message, url, template_id, template_version }] = Object(body['notifications'])
  return { title, message, url, template_id, template_version }
}

test('a journey keeps the version of a template that it was activated with', async () => {
  const { own, api, templateId, path, snippet } = await newJourney()
  await api('PATCH', `/api/v1/templates/${templateId}`, {
    version: 1,
    content: { ...CONTENT, title: 'Second {{ event.plan }}' },
  })
  const active = await api('POST', `${path}/activate`)
  assert.equal(active.status, 200, active.text)
  assert.equal(Object(active.body['journey']).version, 2)

  await api('PATCH', `/api/v1/templates/${templateId}`, { version: 2, content: { title: 'T', message: 'm' } })
  await api('PATCH', snippet, { version: 1, text: 'Other' })
  await api('POST', `/api/v1/templates/${templateId}/archive`)
  assert.deepEqual(await enter(own, 'ada'), {
    title: 'Second {{ event.plan }}',
    message: 'Yours',
    url: 'https://shop.example/',
    template_id: templateId,
    template_version: 2,
  })
  assert.equal((await api('POST', `${path}/pause`)).status, 200)
  const again = await api('POST', `${path}/activate`)
  assert.equal(Object(again.body['journey']).version, 2, again.text)
})

test('a draft whose template is archived cannot be activated, and says which', async () => {
  const { api, templateId, path } = await newJourney()
  await api('POST', `/api/v1/templates/${templateId}/archive`)
  const { status, body } = await api('POST', `${path}/activate`)
  assert.deepEqual([status, body['code']], [404, 'template_not_found'])
  assert.equal(Object(Object(body['errors'])[0]).field, 'steps[0].send.template_id')
  assert.equal(Object((await api('GET', path)).body['journey']).state, 'draft')
})

test('400 names the platform that a template of a send does not fit', async () => {
  const { api } = await newJourney()
  const made = await api('POST', '/api/v1/templates', {
    name: 'long',
    content: { title: 'x'.repeat(100), message: 'm' },
    platforms: ['web'],
  })
  const { template_id } = Object(made.body['template'])
  const journey = (to: string) => ({
    trigger: { event: 'signup' },
    steps: [{ id: 'a', send: { to, template_id } }],
  })
  const refused = await api('POST', '/api/v1/journeys/validate', journey('ios'))
  assert.deepEqual([refused.status, refused.body['code']], [400, 'template_unfit'])
  assert.match(refused.text, /does not fit ios\. steps\[0\]\.send\.title may have at most/)
  assert.equal((await api('POST', '/api/v1/journeys/validate', journey('web'))).status, 200)
})
