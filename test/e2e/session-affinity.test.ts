import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { SIGN_IN } from '../../src/rules/sign-in.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { withOwner } from '../../src/store/db.ts'
import { freshDatabase, type TestBrand } from '../support/database/database.ts'
import { endWith, freshFolder, type RunningBeckon, startBeckon } from '../support/processes/beckon.ts'
import { type Answer, type Call, PUBLIC_URL } from '../support/processes/server.ts'
import { Authenticator } from '../support/team/authenticator.ts'
import { addMember, PASSWORD, Page, type TeamServer } from '../support/team/members.ts'
import { OidcServer } from '../support/team/oidc-server.ts'
import { totpCode } from '../support/team/totp.ts'
import { until } from '../support/until.ts'

/** Two Beckons on one database, behind something that sends each call to the Beckon that did not get the last one. */
type Pair = {
  readonly url: string
  readonly brand: TestBrand
  readonly provider: OidcServer
  /** The next call goes to the first Beckon, or to the second. */
  readonly turnTo: (first: 0 | 1) => void
  readonly server: TeamServer
}

async function startPair(context: TestContext): Promise<Pair> {
  const { url, database, drop, ...made } = await freshDatabase({ author: null })
  endWith(context, drop)
  const brand = await made.brand()
  const provider = await new OidcServer().listen()
  endWith(context, async () => provider.close())
  const settings = {
    DATABASE_URL: url,
    BECKON_SECRET: 's'.repeat(32),
    BECKON_PUBLIC_URL: PUBLIC_URL,
    BECKON_PROXY_HOPS: '1',
    BECKON_OIDC_ISSUER: provider.issuer,
    BECKON_OIDC_CLIENT_ID: provider.clientId,
    BECKON_OIDC_CLIENT_SECRET: provider.clientSecret,
  }
  const start = async (): Promise<RunningBeckon> =>
    startBeckon(context, { ...settings, BECKON_DATA_DIR: await freshFolder(context) })
  const ports = [await start(), await start()].map((beckon) => Number(new URL(beckon.url).port))
  assert.equal(new Set(ports).size, 2)
  let calls = 0
  return {
    url,
    brand,
    provider,
    turnTo: (first) => {
      calls = first
    },
    server: {
      deps: { database, clock: systemClock },
      get port() {
        calls += 1
        return ports[(calls - 1) % 2] ?? 0
      },
    },
  }
}

let networks = 0

/** A browser in a network of its own, whose calls no limit of another network counts. */
class Browser extends Page {
  readonly #network = `198.51.100.${(networks += 1)}`

  override async call({ headers = {}, ...request }: Call): Promise<Answer> {
    return super.call({ ...request, headers: { 'x-forwarded-for': this.#network, ...headers } })
  }
}

async function isSignedIn(page: Page): Promise<boolean> {
  const paths = ['/api/v1/me', '/api/v1/me', '/api/v1/brand', '/api/v1/brand']
  const statuses: number[] = []
  for (const path of paths) statuses.push((await page.call({ path })).status)
  assert.equal(new Set(statuses).size, 1, `both servers say the same: ${statuses.join(' ')}`)
  return statuses[0] === 200
}

/** Every step, and what follows from it at the other server. */
const WAYS: Readonly<Record<string, (pair: Pair) => Promise<void>>> = {
  'with a password': async ({ server, brand }) => {
    const { email } = await addMember(server, { brand })
    const page = new Browser(server, brand)
    assert.equal((await page.post('/auth/sign-in', { email, password: PASSWORD })).status, 200)
    assert.ok(await isSignedIn(page))
    assert.equal((await page.post('/auth/sign-out')).status, 200)
    assert.equal((await page.call({ path: '/api/v1/me' })).status, 401)
    assert.equal((await page.call({ path: '/api/v1/me' })).status, 401)
  },

  'with a code of an app, and with a recovery code, each once': async ({ server, brand }) => {
    const { email, page: owner } = await addMember(server, { brand })
    const { body } = await owner.post('/auth/two-factor', { password: PASSWORD })
    const uri = String(body['totp_uri'])
    const [recovery = ''] = Array.isArray(body['recovery_codes']) ? body['recovery_codes'].map(String) : []
    const first = totpCode(uri, Date.now())
    assert.equal((await owner.post('/auth/two-factor/verify', { code: first })).status, 200)
    const begin = async (): Promise<Page> => {
      const page = new Browser(server, brand)
      const { body: said } = await page.post('/auth/sign-in', { email, password: PASSWORD })
      assert.equal(said['two_factor'], true)
      return page
    }
    const isRefused = async (step: string, code: string): Promise<boolean> =>
      (await (await begin()).post(`/auth/sign-in/${step}`, { code })).body['code'] === 'code_wrong'
    assert.ok(await isRefused('code', first))
    const page = await begin()
    const code = totpCode(uri, Date.now() + 30_000)
    assert.equal((await page.post('/auth/sign-in/code', { code })).status, 200)
    assert.ok(await isSignedIn(page))
    const other = await begin()
    assert.equal((await other.post('/auth/sign-in/recovery-code', { code: recovery })).status, 200)
    assert.ok(await isSignedIn(other))
    // One call between two attempts, so that each server gets one of them.
    for (const _ of [0, 1]) {
      assert.ok(await isRefused('code', code))
      assert.ok(await isRefused('recovery-code', recovery))
      await other.call({ path: '/api/v1/me' })
    }
  },

  'with a passkey, whose proof works once': async ({ server, brand }) => {
    const { page: owner } = await addMember(server, { brand })
    const [origin, device] = [PUBLIC_URL, new Authenticator()]
    const asked = (await owner.post('/auth/passkeys/options')).body['options']
    const made = device.create({ options: asked, origin })
    assert.equal((await owner.post('/auth/passkeys', { name: 'phone', response: made })).status, 200)
    const page = new Browser(server, brand)
    const { options } = (await page.post('/auth/sign-in/passkey/options')).body
    const response = device.sign({ options, origin })
    const before = new Map(page.cookies)
    assert.equal((await page.post('/auth/sign-in/passkey', { response })).status, 200)
    assert.ok(await isSignedIn(page))
    const thief = new Browser(server, brand)
    for (const _ of [0, 1]) {
      for (const [name, value] of before) thief.cookies.set(name, value)
      const again = await thief.post('/auth/sign-in/passkey', { response })
      assert.equal(again.body['code'], 'passkey_refused')
    }
  },

  'with the account of a company, whose answer works once': async ({ server, brand, provider }) => {
    const { email } = await addMember(server, { brand })
    const page = new Browser(server, brand)
    const address = String((await page.post('/auth/sign-in/oidc')).body['url'])
    const back = provider.consent(address, { sub: email, email, email_verified: true, name: 'Grace' })
    const come = async (): Promise<number> =>
      (
        await page.call({
          method: 'GET',
          path: `${back.pathname}${back.search}`,
          headers: { 'sec-fetch-site': 'cross-site' },
        })
      ).status
    assert.equal(await come(), 303)
    assert.ok(await isSignedIn(page))
    assert.deepEqual([await come(), await come()], [401, 401])
  },
}

async function attempt(server: TeamServer, email: string): Promise<number> {
  const page = new Page(server)
  const headers = { 'x-forwarded-for': '203.0.113.1' }
  const body = { email, password: 'not it' }
  return (await page.call({ method: 'POST', path: '/auth/sign-in', headers, body })).status
}

/** Whether each of three requests of one network leaves one less than the one before. */
async function countsTogether(page: Page): Promise<boolean> {
  const left: number[] = []
  while (left.length < 3) left.push(leftIn(await page.call({ path: '/auth/passkeys' })))
  return left.every((count, at) => count === Number(left[0]) - at)
}

function leftIn({ headers }: Answer): number {
  return Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1])
}

test('two servers on one database: no step needs the server of the one before', async (context) => {
  const pair = await startPair(context)
  const { url, brand, server, turnTo } = pair
  for (const first of [0, 1] as const) {
    for (const [way, signIn] of Object.entries(WAYS)) {
      await context.test(`a member signs in ${way}, first at server ${first}`, async () => {
        turnTo(first)
        await signIn(pair)
      })
    }

    await context.test(`a proof to server ${first} counts at the other at once`, async () => {
      const { id, page } = await addMember(server, { brand })
      const create = async (): Promise<Answer> =>
        page.post('/api/v1/brand/keys', { kind: 'secret', scopes: ['push'] })
      const tooOld = `now() - interval '${SIGN_IN.confirmedMinutes} minutes'`
      await withOwner(url, async (owner) =>
        owner.query(`update member_sessions set confirmed_at = ${tooOld} where member_id = $1`, [id]),
      )
      // Both cache the old proof.
      for (const _ of [0, 1]) {
        await until(async () => (await create()).body['code'] === 'proof_needed', { what: 'an old proof' })
      }
      turnTo(first)
      assert.equal((await page.post('/auth/confirm', { password: PASSWORD })).status, 200)
      assert.deepEqual([(await create()).status, (await create()).status], [200, 200])
    })

    await context.test(`attempts count over both, from server ${first}`, async () => {
      const email = `nobody-${first}@example.com`
      turnTo(first)
      for (let count = 0; count < SIGN_IN.attemptsMax; count += 1)
        assert.equal(await attempt(server, email), 401)
      assert.deepEqual([await attempt(server, email), await attempt(server, email)], [429, 429])
    })
  }

  await context.test('requests of a network count over both', async () => {
    // On a machine that stands still the window may end between two calls; then another network is looked at.
    await until(async () => countsTogether(new Browser(server)), { what: 'a count over both servers' })
  })
})
