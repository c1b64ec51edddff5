import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startServer } from '../support/processes/server.ts'
import { type PushCall, push } from '../support/push/calls.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { port, deps, brand, close } = await startServer()
after(close)
const { database } = deps

/** A brand with one tagged person, and the warnings of its pushes as `field:code`. */
async function warnedBrand() {
  const mine = await brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, userId: 'ann', tags: ['gold'] })
  await database.query(
    `insert into attribute_locks (brand_id, event_name, attribute, type, locked_at, last_seen_at)
     values ($1, '', 'first_name', 'string', now(), now())`,
    [brandId],
  )
  const answer = async (call: PushCall) => {
    const { status, body, text } = await push(port, mine, call)
    assert.equal(status, 200, text)
    return { text, warnings: body['warnings'] }
  }
  return { brandId, answer }
}

test('200: a tag that nobody carries and an audience of nobody are warned of', async () => {
  const { answer } = await warnedBrand()
  const unknown = [
    { field: 'tag', code: 'unknown_tag' },
    { field: 'audience', code: 'audience_empty' },
  ]
  const nobody = await answer({ mode: 'all', body: { tag: 'Gold' } })
  assert.partialDeepStrictEqual(nobody.warnings, unknown)
  const dry = await answer({ mode: 'all', body: { tag: 'Gold', dry_run: true } })
  assert.partialDeepStrictEqual(dry.warnings, [{ code: 'unknown_tag' }, { code: 'audience_empty' }])
  const later = await answer({ mode: 'all', body: { tag: 'Gold', time: 3_600 } })
  assert.partialDeepStrictEqual(later.warnings, [{ code: 'unknown_tag' }])
  assert.equal((await answer({ mode: 'all', body: { tag: 'gold' } })).warnings, undefined)
  assert.equal((await answer({ mode: 'all' })).warnings, undefined)
  const web = await answer({ platform: 'ios', mode: 'all' })
  assert.partialDeepStrictEqual(web.warnings, [{ code: 'audience_empty' }])
})

test('200: the tag of a person counts as used', async () => {
  const { brandId, answer } = await warnedBrand()
  await database.query(`update profiles set tags = '{vip}' where brand_id = $1`, [brandId])
  assert.equal((await answer({ mode: 'all', body: { tag: 'vip' } })).warnings, undefined)
})

test('200: dry_run names variables of templates that are empty for everybody', async () => {
  const { answer } = await warnedBrand()
  const tried = async (title: string, message = 'World') =>
    answer({ body: { user_id: 'ann', title, message, dry_run: true } })
  assert.equal(
    (await tried('{{ user.first_name | default: "you" }}, {{ user.email }} {{ now }}')).warnings,
    undefined,
  )
  assert.equal(
    (await tried('{% assign x = user.first_name %}{{ x }}!{{ subscription.language }}')).warnings,
    undefined,
  )
  const misspelt = await tried(
    'Hi {{ user.frist_name }}',
    '{{ frist_name }} {{ event.price }} {{ subscription.lang }}',
  )
  assert.partialDeepStrictEqual(misspelt.warnings, [
    { field: 'title', code: 'unknown_variable' },
    { field: 'message', code: 'unknown_variable' },
    { field: 'message', code: 'unknown_variable' },
    { field: 'message', code: 'unknown_variable' },
  ])
  for (const name of ['user.frist_name', 'frist_name', 'event.price', 'subscription.lang'])
    assert.match(misspelt.text, new RegExp(`names ${name},`))
})
