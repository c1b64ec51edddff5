import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, afterEach, test } from 'node:test'
import { type Answer, startServer } from '../support/processes/server.ts'
import { addMember, Page } from '../support/team/members.ts'
import { type Claims, OidcServer } from '../support/team/oidc-server.ts'

const provider = await new OidcServer().listen()
const server = await startServer({ oidc: provider })
after(async () => {
  await server.close()
  provider.close()
})
afterEach(() => {
  provider.lies = {}
  provider.hasIdToken = true
  provider.addresses = {}
  provider.movedTo = null
})
const brand = await server.brand()
const { email } = await addMember(server, { brand })

async function begin(page: Page): Promise<string> {
  const { body, status, text } = await page.post('/auth/sign-in/oidc')
  assert.equal(status, 200, text)
  return String(body['url'])
}

async function come(page: Page, back: URL): Promise<Answer> {
  const headers = { 'sec-fetch-site': 'cross-site' }
  return page.call({ method: 'GET', path: `${back.pathname}${back.search}`, headers })
}

async function signIn(page: Page, person: Claims): Promise<Answer> {
  return come(page, provider.consent(await begin(page), person))
}

const person = { sub: 'subject-1', email, email_verified: true, name: 'Grace' }

async function isSignedIn(page: Page): Promise<boolean> {
  return (await page.call({ path: '/api/v1/me' })).status === 200
}

test('a member signs in by the identity provider, which keeps no token here', async () => {
  const page = new Page(server, brand)
  const { status, headers } = await signIn(page, person)
  assert.equal(status, 303)
  assert.equal(headers['location'], '/')
  const { body } = await page.call({ path: '/api/v1/me' })
  assert.equal(Object(body['member']).email, email)
  const { rows } = await server.deps.database.team.query(
    `select access_token, refresh_token, id_token from member_accounts where provider_id = 'oidc'`,
  )
  assert.deepEqual(rows, [{ access_token: null, refresh_token: null, id_token: null }])
})

test('the provider changes its key at any time, and an unpublished key signs nobody in', async () => {
  provider.rotate()
  const page = new Page(server, brand)
  assert.equal((await signIn(page, person)).status, 303)
  provider.forge()
  const forged = new Page(server, brand)
  assert.equal((await signIn(forged, person)).body['code'], 'oidc_refused')
  assert.ok(!(await isSignedIn(forged)))
  provider.rotate()
  assert.equal((await signIn(new Page(server, brand), person)).status, 303)
})

const LIES: Readonly<Record<string, Claims>> = {
  'another audience': { aud: 'another-client' },
  'another nonce': { nonce: 'another nonce' },
  'no nonce': { nonce: undefined },
  'another issuer': { iss: 'https://evil.example' },
  'a time that is over': { exp: 1 },
  'an address that is not verified': { email_verified: false },
  'no subject': { sub: undefined },
}

for (const [name, lie] of Object.entries(LIES)) {
  test(`401 for an ID token with ${name}`, async () => {
    provider.lies = lie
    const page = new Page(server, brand)
    assert.equal((await signIn(page, person)).body['code'], 'oidc_refused')
    assert.ok(!(await isSignedIn(page)))
  })
}

test('401 without an ID token, and for a person who is no member', async () => {
  provider.hasIdToken = false
  assert.equal((await signIn(new Page(server, brand), person)).body['code'], 'oidc_refused')
  provider.hasIdToken = true
  const stranger = { ...person, sub: 'subject-2', email: 'stranger@example.com' }
  const page = new Page(server, brand)
  assert.equal((await signIn(page, stranger)).body['code'], 'oidc_refused')
  const { count } = await server.deps.database.team.query('select from members where email = $1', [
    stranger.email,
  ])
  assert.equal(count, 0)
})

test('an answer counts once, and only in the browser that asked', async () => {
  const page = new Page(server, brand)
  const back = provider.consent(await begin(page), person)
  const victim = new Page(server, brand)
  assert.equal((await come(victim, back)).status, 401)
  assert.ok(!(await isSignedIn(victim)))
  const other = new Page(server, brand)
  const whole = provider.consent(await begin(other), person)
  assert.equal((await come(other, whole)).status, 303)
  assert.equal((await come(other, whole)).status, 401)
})

test('404 where no provider is set, and 503 while it is away', async () => {
  const plain = await startServer()
  assert.equal((await new Page(plain).post('/auth/sign-in/oidc')).body['code'], 'oidc_off')
  await plain.close()
  const gone = { issuer: 'http://127.0.0.1:9', clientId: 'a', clientSecret: 'b' }
  const away = await startServer({ oidc: gone })
  assert.equal((await new Page(away).post('/auth/sign-in/oidc')).body['code'], 'oidc_away')
  await away.close()
})

test('addresses in the document of the provider lead to no other server of the inner network', async () => {
  provider.rotate()
  const asked: string[] = []
  const inner = createServer(({ url }, response) => {
    asked.push(String(url))
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(inner, 'listening')
  const address = inner.address()
  assert.ok(typeof address === 'object' && address !== null)
  const elsewhere = [`http://127.0.0.1:${address.port}`, `http://localhost:${address.port}`]
  for (const origin of elsewhere) {
    for (const field of ['token_endpoint', 'jwks_uri']) {
      provider.addresses = { [field]: `${origin}/${field}` }
      const page = new Page(server, brand)
      assert.equal((await signIn(page, person)).status, 401, field)
      assert.equal(await isSignedIn(page), false)
    }
    provider.movedTo = `${origin}/moved`
    assert.equal((await new Page(server, brand).post('/auth/sign-in/oidc')).body['code'], 'oidc_away')
    provider.movedTo = null
  }
  inner.close()
  assert.deepEqual(asked, [])
  provider.addresses = {}
  assert.equal((await signIn(new Page(server, brand), person)).status, 303)
})
