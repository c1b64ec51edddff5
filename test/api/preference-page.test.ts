import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { EVERYTHING, PREFERENCE_FORM_BYTES_MAX, PREFERENCE_LINK_DAYS } from '../../src/rules/topics.ts'
import type { TestBrand } from '../support/database/database.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const DAY_MS = 86_400_000
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

let now = Date.now()
const server = await startServer({ deps: { clock: { now: () => now } } })
after(server.close)
const users = new UserCalls(server)

const ask = async (brand: TestBrand, path: string, body?: object): Promise<Answer> =>
  call(server.port, { path, headers: keyHeaders(brand), ...(body === undefined ? {} : { body }) })

/** A brand that merges people, with two topics, one of them with markup in its title, and a person. */
async function place() {
  const brand = await users.mergingBrand()
  await ask(brand, '/api/v1/topics', { name: 'offers', title: 'Offers <b>&', description: 'Cheap "teas".' })
  await ask(brand, '/api/v1/topics', { name: 'orders', title: 'Orders' })
  await users.post(brand, 'create', { nv: [{ userID: 'ann-1', email: 'ann@example.com' }] })
  return brand
}

/** The path of a link to the page of a person. */
async function linkTo(brand: TestBrand, userID: string): Promise<string> {
  const { status, text, body } = await ask(brand, '/api/v1/user/preferences/link', { userID })
  assert.equal(status, 200, text)
  const url = new URL(String(Object(body['link'])['url']))
  assert.equal(url.port, String(server.port))
  return url.pathname
}

const open = async (path: string): Promise<Answer> => call(server.port, { path })
const submit = async (path: string, form: string, headers: object = FORM): Promise<Answer> =>
  call(server.port, { path, method: 'POST', headers: { ...headers }, body: form })
const optOutsOf = async (brand: TestBrand, userID: string): Promise<unknown> =>
  Object((await ask(brand, `/api/v1/user/preferences?userID=${userID}`)).body['preferences'])['opt_outs']

test('a signed link opens a page of the topics and of nothing else about the person', async () => {
  const brand = await place()
  const { status, text, headers } = await open(await linkTo(brand, 'ann-1'))
  assert.equal(status, 200)
  assert.match(text, /<label for="topic-0">Offers &#60;b&#62;&#38;<\/label>/)
  assert.match(text, /Cheap &#34;teas&#34;\./)
  assert.equal(text.match(/ checked/g)?.length, 3)
  assert.doesNotMatch(text, /ann-1|ann@|<script|style="/)
  const policy = String(headers['content-security-policy'])
  assert.match(
    policy,
    /^default-src 'none'; style-src 'sha256-[^']+'; .*form-action 'self'; frame-ancestors 'none'$/,
  )
  assert.deepEqual(
    [headers['cache-control'], headers['referrer-policy'], headers['access-control-allow-origin']],
    ['no-store', 'no-referrer', undefined],
  )
})

test('the form of the page, without script, changes the opt-outs and leads back to the page', async () => {
  const brand = await place()
  const path = await linkTo(brand, 'ann-1')
  const saved = await submit(path, 'topic=orders')
  assert.deepEqual([saved.status, saved.headers['location']], [303, `${path}?saved`])
  assert.deepEqual(await optOutsOf(brand, 'ann-1'), ['offers'])
  const page = await open(`${path}?saved`)
  assert.match(page.text, /role="status"/)
  assert.match(page.text, /value="offers" aria/)
  assert.match(page.text, /value="orders" checked/)
  await submit(path, '')
  assert.deepEqual(await optOutsOf(brand, 'ann-1'), [EVERYTHING])
  await submit(path, 'topic=orders&topic=offers')
  assert.deepEqual(await optOutsOf(brand, 'ann-1'), [])
  await submit(path, 'topic=orders&topic=offers&stop=all')
  assert.deepEqual(await optOutsOf(brand, 'ann-1'), [EVERYTHING])
})

test('a link is the same 404 when it is forged, changed, too old, or of a person or brand that is gone', async () => {
  const brand = await place()
  const other = await place()
  const path = await linkTo(brand, 'ann-1')
  const [token = ''] = path.split('/').slice(-1)
  const [id, brandPart, ...rest] = token.split('.')
  const otherBrand = (await linkTo(other, 'ann-1')).split('.')[1]
  assert.notEqual(brandPart, otherBrand)
  const visitor = server.deps.visitors.sign({ brandId: brand.brandId, visitorId: 'a'.repeat(22) }, now)
  const forged = [`${id}.${otherBrand}.${rest.join('.')}`, `B${token.slice(1)}`, visitor, 'x', `${token}A`]
  const dead = (await open('/preferences/x')).text
  for (const one of forged) {
    for (const answer of [await open(`/preferences/${one}`), await submit(`/preferences/${one}`, '')]) {
      assert.deepEqual([answer.status, answer.text], [404, dead], one)
    }
  }
  const made = now
  now = made + PREFERENCE_LINK_DAYS * DAY_MS
  assert.equal((await open(path)).status, 200)
  now += DAY_MS
  assert.deepEqual([(await open(path)).text, (await submit(path, '')).status], [dead, 404])
  now = made
  await users.post(brand, 'delete', { nv: [{ userID: 'ann-1' }] })
  assert.deepEqual([(await open(path)).status, (await submit(path, '')).status], [404, 404])
})

test('a link of a person who was merged into another leads to the survivor', async () => {
  const brand = await place()
  await users.post(brand, 'create', { nv: [{ userID: 'bob-1' }] })
  const path = await linkTo(brand, 'bob-1')
  await users.post(brand, 'create', { nv: [{ userID: 'bob-1', email: 'ann@example.com' }] })
  assert.equal((await submit(path, 'topic=orders')).status, 303)
  assert.deepEqual(await optOutsOf(brand, 'ann-1'), ['offers'])
})

test('a form that is too large, or no form, is refused; unknown topics in it change nothing', async () => {
  const brand = await place()
  const path = await linkTo(brand, 'ann-1')
  assert.equal((await submit(path, `x=${'a'.repeat(PREFERENCE_FORM_BYTES_MAX)}`)).status, 413)
  assert.equal((await submit(path, '{}', { 'content-type': 'application/json' })).status, 415)
  assert.equal((await submit(path, 'topic=orders&topic=offers&topic=theirs&topic=%00')).status, 303)
  assert.deepEqual(await optOutsOf(brand, 'ann-1'), [])
})

test('a link is made for a known person of the own brand only', async () => {
  const brand = await place()
  const { status, body } = await ask(brand, '/api/v1/user/preferences/link', { userID: 'nobody' })
  assert.deepEqual([status, body['code']], [404, 'profile_not_found'])
})
