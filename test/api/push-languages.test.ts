import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { PLATFORMS } from '../../src/rules/platforms.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { idIn, push } from '../support/push/calls.ts'
import { drain } from '../support/push/drain.ts'
import { assertDocumented } from '../support/reference/documented.ts'
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

/** Devices of a person each, with these languages. */
async function seedReaders(brandId: number, languages: readonly (string | null)[]): Promise<void> {
  for (const [at, language] of languages.entries()) {
    const [id] = await seedSubscriptions(database, { brandId, userId: `u${at}`, subscriptionId: `s${at}` })
    await database.query('update subscriptions set language = $3 where brand_id = $1 and id = $2', [
      brandId,
      id,
      language,
    ])
  }
}

async function setPersonLanguage(brandId: number, userId: string, language: unknown): Promise<void> {
  await database.query(
    `update profiles set attributes = jsonb_build_object('language', $3::jsonb) where brand_id = $1 and id =
       (select profile_id from profile_identities where brand_id = $1 and kind = 'user_id' and value = $2)`,
    [brandId, userId, JSON.stringify(language)],
  )
}

test('dry_run says how many devices get which language, and shows the payload of each', async () => {
  const mine = await brand()
  await seedReaders(mine.brandId, ['fr-CA', 'fr', 'xx', null, 'he'])
  await setPersonLanguage(mine.brandId, 'u2', 'iw')
  await setPersonLanguage(mine.brandId, 'u3', ['fr'])
  const languages = {
    fr: { title: 'Bonjour {{ user.never_seen }}' },
    he: { title: 'שלום' },
    'zh-Hant': { title: '你好' },
  }
  const { status, text, body } = await push(port, mine, {
    mode: 'all',
    body: { title: 'Hello', message: 'there', languages, dry_run: true },
  })
  assert.equal(status, 200, text)
  const told: readonly { language: string; devices: number; payload: unknown }[] = Object(body['languages'])
  assert.deepEqual(
    told.map(({ language, devices }) => [language, devices]),
    [
      ['fr', 2],
      ['he', 2],
      ['zh-Hant', 0],
      ['default', 1],
    ],
  )
  for (const [at, title] of ['Bonjour ', 'שלום', '你好', 'Hello'].entries()) {
    assert.match(JSON.stringify(told[at]?.payload), new RegExp(`"${title}"`))
  }
  assert.match(JSON.stringify(body['payload']), /Bonjour/, 'the first device is French')
  assert.deepEqual(
    Object(body['warnings']).map(({ field, code }: { field: string; code: string }) => [field, code]),
    [['languages.fr.title', 'unknown_variable']],
  )
})

test('dry_run of one person counts that person’s devices, in the brand’s language where none is known', async () => {
  const mine = await brand()
  await seedReaders(mine.brandId, [null, 'de'])
  await database.query(`update brands set language = 'fr-BE' where id = $1`, [mine.brandId])
  const sent = { user_id: 'u0', languages: FR, dry_run: true }
  const { body } = await push(port, mine, { body: sent })
  assert.deepEqual(
    Object(body['languages']).map(({ language, devices }: { language: string; devices: number }) => [
      language,
      devices,
    ]),
    [
      ['fr', 1],
      ['default', 0],
    ],
  )
  const plain = await push(port, mine, { body: { user_id: 'u0', dry_run: true } })
  assert.equal(plain.body['languages'], undefined)
})

test('a delivery has its language, and explain says why, with the value it saw', async () => {
  const mine = await brand()
  const { brandId } = mine
  await seedReaders(brandId, ['fr-CA', 'xx'])
  await setPersonLanguage(brandId, 'u1', 'tlh')
  const accepted = await push(port, mine, { mode: 'all', body: { languages: FR } })
  const id = idIn(accepted)
  const headers = keyHeaders(mine)
  await drain(database, { judge: (to, { choices }) => ({ language: choices.get(to.id)?.language ?? null }) })
  const list = await call(port, { path: `/api/v1/notifications/${id}/deliveries`, headers })
  assertDocumented({ method: 'GET', path: '/api/v1/notifications/{id}/deliveries' }, list)
  assert.deepEqual(
    Object(list.body['deliveries']).map((one: { subscription_id: string; language: string }) => [
      one.subscription_id,
      one.language,
    ]),
    [
      ['s0', 'fr'],
      ['s1', 'default'],
    ],
  )
  const why = async (user: string): Promise<string> => {
    const { body } = await call(port, { path: `/api/v1/explain?user_id=${user}&notification=${id}`, headers })
    const reasons: readonly { code: string; message: string }[] = Object(body['explanation']).reasons
    return reasons.find(({ code }) => code === 'language_chosen')?.message ?? ''
  }
  assert.equal(await why('u0'), 'The message for s0 was in fr, because the language of the device is fr-CA.')
  assert.equal(
    await why('u1'),
    'The message for s1 was in default, because no known language is offered (device: xx, person: tlh, brand: not set).',
  )
  await database.query(`update subscriptions set language = 'de' where brand_id = $1`, [brandId])
  assert.match(
    await why('u0'),
    /was in fr, because a language was another one at that time; now they are device: de,/,
  )
})
