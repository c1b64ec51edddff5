import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { PLATFORMS } from '../../src/rules/platforms.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { push } from '../support/push/calls.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
after(server.close)
const { port, deps, brand } = server
const { database } = deps

const FR = { fr: { title: 'Bonjour', message: 'le monde' } }

test('400 names the language whose title is over the limit', async () => {
  const mine = await brand()
  const languages = { ...FR, 'pt-BR': { title: 'x'.repeat(PLATFORMS.android.titleCharsMax + 1) } }
  const { status, body } = await push(port, mine, { mode: 'all', body: { languages } })
  assert.equal(status, 400)
  assert.deepEqual(
    Object(body['errors']).map(({ field, code }: { field: string; code: string }) => [field, code]),
    [['languages.pt-BR.title', 'field_too_long']],
  )
})

test('400 payload_too_large names the language', async () => {
  const mine = await brand()
  const languages = { ...FR, 'zh-Hant-TW': { message: '茶'.repeat(2_000) } }
  const { status, body } = await push(port, mine, { platform: 'web', mode: 'all', body: { languages } })
  assert.equal(status, 400)
  const [error] = Object(body['errors'])
  assert.deepEqual([error.field, error.code], ['languages.zh-Hant-TW.message', 'payload_too_large'])
})

test('200 stores what differs in each language, and the default sound holds for all of them', async () => {
  const mine = await brand()
  await seedSubscriptions(database, { brandId: mine.brandId, userId: 'ann' })
  await call(port, {
    method: 'PATCH',
    path: '/api/v1/brand',
    headers: keyHeaders(mine),
    body: { default_sound: 'ding' },
  })
  const { status, text } = await push(port, mine, { body: { user_id: 'ann', languages: FR } })
  assert.equal(status, 200, text)
  const { rows } = await database.query<{ alternatives: object }>(
    'select alternatives from notifications where brand_id = $1',
    [mine.brandId],
  )
  assert.deepEqual(rows[0]?.alternatives, {
    languages: ['fr'],
    variants: [],
    isPersonal: false,
    contents: { '/fr': { title: 'Bonjour', body: 'le monde' } },
  })
})
