import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import { VISITOR_LIMITS } from '../../src/rules/people.ts'
import type { TestBrand } from '../support/database/database.ts'
import { type Browser, event, openBrowser, profilesOf, SITE, webBrand } from '../support/people/visitors.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer({ deps: { loadPushHosts: async () => new Set(['push.example']) } })
const { deps, port } = server
after(server.close)

const KEYS = {
  p256dh: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}

test('200: a new brand asks for proof: an unproved browser stays anonymous and is told why', async () => {
  const brand = await server.brand()
  await change(brand, { allowed_origins: [SITE] })
  const browser = await openBrowser(server, brand)
  const { body } = await browser.tell({ do: 'user', userID: 'ann' }, event('seen'))
  assert.deepEqual([body['message'], body['processed']], ['partial', 1])
  assert.match(String(Object(Object(body['unprocessed'])[0])['message']), /stays anonymous.*identity-key/)
  assert.deepEqual(await profilesOf(deps, brand), [{ userId: null, events: ['seen'] }])
})

test('200: switching it on detaches browsers that never proved their user, and leaves the proved ones', async () => {
  const brand = await webBrand(server)
  const hashOf = await identityOf(brand)
  const thief = await subscribed(brand, 'https://push.example/thief')
  await thief.tell({ do: 'user', userID: 'ann' })
  const owner = await subscribed(brand, 'https://push.example/owner')
  await sayWith(owner, 'https://push.example/owner', { userID: 'ann', user_hash: hashOf('ann') })
  const later = await openBrowser(server, brand)
  await later.tell({ do: 'user', userID: 'ann' }, subscription('https://push.example/later'))
  const anonymous = await subscribed(brand, 'https://push.example/nobody')
  await anonymous.tell(event('seen'))
  assert.deepEqual((await devicesOf(brand)).toSorted(), ['later ann', 'nobody -', 'owner ann', 'thief ann'])

  const { body } = await change(brand, { identity_verification: true })
  assert.equal(body['detached_browsers'], 2)
  assert.deepEqual((await devicesOf(brand)).toSorted(), ['later -', 'nobody -', 'owner ann', 'thief -'])
  await thief.tell(event('stolen'))
  const [ann] = (await profilesOf(deps, brand)).filter(({ userId }) => userId === 'ann')
  assert.ok(ann !== undefined && !ann.events.includes('stolen'))

  await sayWith(later, 'https://push.example/later', { userID: 'ann', user_hash: hashOf('ann') })
  assert.ok((await devicesOf(brand)).includes('later ann'), 'a browser that proves itself is back')
  const again = await change(brand, { identity_verification: true })
  assert.equal(again.body['detached_browsers'], undefined)
})

test('200: a device that the server gave to a person stays, whatever browser brought it', async () => {
  const brand = await webBrand(server)
  const browser = await subscribed(brand, 'https://push.example/desk')
  await browser.tell({ do: 'user', userID: 'ann' })
  const device = {
    platform: 'web',
    user_id: 'ann',
    subscription: { endpoint: 'https://push.example/desk', keys: KEYS },
  }
  await call(port, { path: '/api/v1/subscriptions', headers: keyHeaders(brand), body: device })
  await change(brand, { identity_verification: true })
  assert.deepEqual(await devicesOf(brand), ['desk ann'])
})

test('200: switching it off is warned of', async () => {
  const brand = await server.brand()
  const { body } = await change(brand, { identity_verification: false })
  const [warning] = Array.isArray(body['warnings']) ? body['warnings'] : []
  assert.equal(warning?.code, 'unverified')
  assert.match(warning?.message, /can claim any userID/)
})

test('404: the demo signs for no other brand; 403 for a secret key', async () => {
  const brand = await webBrand(server)
  const headers = { authorization: `Bearer ${brand.publishableKey}` }
  const { status, body } = await call(port, { method: 'POST', path: '/demo/login', headers })
  assert.deepEqual([status, body['user_hash']], [404, undefined])
  const secret = { authorization: `Bearer ${brand.secretKey}` }
  assert.equal((await call(port, { method: 'POST', path: '/demo/login', headers: secret })).status, 403)
})

test('200: without verification, a known user and an unknown one are answered at the same full step', async () => {
  const brand = await webBrand(server)
  const nv = [{ userID: 'known' }]
  await call(port, { path: '/api/v1/user/create', headers: keyHeaders(brand), body: { nv } })
  for (const userID of ['known', 'unknown']) {
    const browser = await subscribed(brand, `https://push.example/${userID}`)
    const startedAt = performance.now()
    const { body } = await browser.tell({ do: 'user', userID })
    assert.equal(body['message'], 'success')
    assert.ok(performance.now() - startedAt >= VISITOR_LIMITS.loginStepMs)
  }
})

async function change(brand: TestBrand, body: object): Promise<Answer> {
  return call(port, { method: 'PATCH', path: '/api/v1/brand', headers: keyHeaders(brand), body })
}

async function identityOf(brand: TestBrand): Promise<(userId: string) => string> {
  const path = '/api/v1/brand/identity-key'
  const { body } = await call(port, { method: 'POST', path, headers: keyHeaders(brand) })
  const key = String(body['identity_key'])
  return (userId) => createHmac('sha256', key).update(userId).digest('hex')
}

function subscription(endpoint: string): object {
  return { do: 'subscribe', subscription: { endpoint, keys: KEYS } }
}

async function subscribed(brand: TestBrand, endpoint: string): Promise<Browser> {
  const browser = await openBrowser(server, brand)
  await browser.tell(subscription(endpoint))
  return browser
}

/** A login as the SDK sends it: with the endpoint that the browser has. */
async function sayWith(browser: Browser, endpoint: string, user: object): Promise<void> {
  const { body } = await browser.send({
    visitor: browser.token(),
    endpoint,
    commands: [{ do: 'user', ...user }],
  })
  assert.equal(body['message'], 'success')
}

/** The end of each endpoint, and its person. */
async function devicesOf({ brandId }: TestBrand): Promise<readonly string[]> {
  const { rows } = await deps.database.query<{ told: string }>(
    `select substring(address from '[^/]*$') || ' ' || coalesce((select min(value) from profile_identities as i
       where i.brand_id = s.brand_id and i.profile_id = s.profile_id and kind = 'user_id'), '-') as told
     from subscriptions as s where brand_id = $1 order by id`,
    [brandId],
  )
  return rows.map(({ told }) => told)
}
