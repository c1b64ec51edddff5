import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AUTH_ROUTES } from '../../src/http/team/routes.ts'
import { LIMITS } from '../../src/rules/limits.ts'
import { SIGN_IN } from '../../src/rules/sign-in.ts'
import { purgeTeam } from '../../src/store/team/purge.ts'
import { type Answer, call, startServer } from '../support/processes/server.ts'
import { addMember, linkFor, PASSWORD, Page, redeem } from '../support/team/members.ts'

const server = await startServer({ options: { proxyHops: 1 } })
after(server.close)
const { database } = server.deps
const brand = await server.brand()

test('429 after so many attempts for one address from all networks together, and others are not held up', async () => {
  const { email } = await addMember(server, { brand })
  const other = await addMember(server, { brand })
  const from = async (network: string, address: string, password: string): Promise<Answer> =>
    new Page(server).call({
      method: 'POST',
      path: '/auth/sign-in',
      headers: { 'x-forwarded-for': network },
      body: { email: address, password },
    })
  // Each network stays below its own limit, so only that of the account is met.
  const networks = Array.from({ length: SIGN_IN.accountAttemptsMax / 5 }, (_, at) => `198.51.100.${at}`)
  for (const network of networks) {
    const answers = await Promise.all([1, 2, 3, 4, 5].map(async () => from(network, email, 'not it')))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [401])
  }
  const refused = await from('203.0.113.1', email.toUpperCase(), PASSWORD)
  assert.deepEqual([refused.status, refused.body['code']], [429, 'rate_limited'])
  assert.match(String(refused.body['message']), new RegExp(`\\b${SIGN_IN.accountAttemptsMax}\\b`))
  assert.ok(Number(refused.headers['retry-after']) > 0)
  assert.equal((await from('203.0.113.1', other.email, PASSWORD)).status, 200)
})

async function ask(network: string): Promise<Answer> {
  return call(server.port, { path: '/auth/passkeys', headers: { 'x-forwarded-for': network } })
}

test('429 on the 121st request of a minute from one network, and on none of another', async () => {
  assert.deepEqual([...new Set(AUTH_ROUTES.map(({ rateLimit }) => rateLimit))], ['sign_in'])
  const { signInRequestsMax: max } = LIMITS
  assert.deepEqual([max, LIMITS.signInWindowMs], [120, 60_000])
  const answers: Answer[] = []
  while (answers.length < max + 3)
    answers.push(...(await Promise.all(Array.from({ length: 41 }, async () => ask('192.0.2.1')))))
  assert.equal(answers.filter(({ status }) => status === 401).length, max)
  const refused = answers.filter(({ status }) => status !== 401)
  assert.equal(refused.length, 3)
  for (const { status, headers } of refused) {
    assert.equal(status, 429)
    assert.equal(headers['ratelimit-policy'], `"sign_in";q=${max};w=60`)
    assert.ok(Number(headers['retry-after']) > 0)
  }
  assert.equal((await ask('192.0.2.2')).status, 401)
})

/** Moves the sessions of a member into the past: what comes next happens so much later. */
async function age(id: string, interval: string): Promise<void> {
  await server.asOwner(
    `update member_sessions set created_at = created_at - interval '${interval}',
       expires_at = expires_at - interval '${interval}', confirmed_at = confirmed_at - interval '${interval}'
     where member_id = '${id}'`,
  )
  server.server.forgetKeys()
}

test('a session ends seven days after its sign-in, although it was used', async () => {
  const { id, page } = await addMember(server, { brand })
  const sessions = async (): Promise<readonly unknown[]> => {
    const { body } = await page.call({ path: '/api/v1/me/sessions' })
    return Array.isArray(body['sessions']) ? body['sessions'] : []
  }
  const paths = ['/api/v1/me', '/api/v1/brand']
  const statuses = async (): Promise<readonly number[]> =>
    Promise.all(paths.map(async (path) => (await page.call({ path })).status))

  await age(id, '6 days 23 hours 55 minutes')
  assert.deepEqual(await statuses(), [200, 200])
  assert.equal((await sessions()).length, 1)
  await age(id, '5 minutes')
  assert.deepEqual(await statuses(), [401, 401])
  assert.equal((await page.post('/api/v1/topics', { name: 'late', title: 'Late' })).status, 401)
  assert.ok((await purgeTeam(database, { now: Date.now(), rowsMax: 100 })) > 0)
  const { count } = await database.team.query('select from member_sessions where member_id = $1', [id])
  assert.equal(count, 0)
})

async function ageLinks(interval: string): Promise<void> {
  await server.asOwner(`update member_links set expires_at = expires_at - interval '${interval}'`)
}

async function invitation(): Promise<string> {
  const owner = await addMember(server, { brand })
  const email = `guest-of-${owner.id}@example.com`
  const { body } = await owner.page.post('/api/v1/team/members', { email, role: 'analyst' })
  return new URL(String(Object(body['link']).url)).pathname.split('/').at(-1) ?? ''
}

async function reset(): Promise<string> {
  const { email } = await addMember(server, { brand })
  return linkFor(server, email)
}

for (const [name, make] of Object.entries({ 'an invitation': invitation, 'a reset': reset })) {
  test(`the link of ${name} works for 48 hours, and not a moment longer`, async () => {
    const [kept, late] = [await make(), await make()]
    await ageLinks('47 hours 55 minutes')
    assert.equal((await new Page(server).call({ path: `/auth/link/${kept}` })).status, 200)
    assert.equal((await redeem(new Page(server), kept)).status, 303)
    await ageLinks('5 minutes')
    assert.equal((await new Page(server).call({ path: `/auth/link/${late}` })).status, 404)
    const page = new Page(server)
    assert.equal((await redeem(page, late)).status, 404)
    assert.equal((await page.call({ path: '/api/v1/me' })).status, 401)
  })
}
