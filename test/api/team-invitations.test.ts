import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import type { TestBrand } from '../support/database/database.ts'
import { type Answer, startServer } from '../support/processes/server.ts'
import { addMember, linkFor, PASSWORD, Page, redeem, type TestMember } from '../support/team/members.ts'
import { OidcServer } from '../support/team/oidc-server.ts'
import { until } from '../support/until.ts'

const provider = await new OidcServer().listen()
const server = await startServer({ oidc: provider })
const stop = new AbortController()
const listening = server.deps.database.listenForKeysGone(() => server.server.forgetKeys(), stop.signal)
after(async () => {
  stop.abort()
  await listening
  await server.close()
  provider.close()
})

const PATH = '/api/v1/team/members'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const OTHER_PASSWORD = 'the password of the attacker'

type Team = { readonly brand: TestBrand; readonly owner: TestMember }

async function newTeam(): Promise<Team> {
  const brand = await server.brand()
  return { brand, owner: await addMember(server, { brand }) }
}

/** Invites and returns the secret of the link. */
async function invite({ owner }: Team, email: string): Promise<string> {
  const { body, status, text } = await owner.page.post(PATH, { email, role: 'editor' })
  assert.equal(status, 200, text)
  return tokenOf(body)
}

function tokenOf(body: Answer['body']): string {
  return String(Object(body['link']).url).split('/').slice(-1).join('')
}

async function join(page: Page, token: string): Promise<Answer> {
  return page.call({ method: 'POST', path: `/auth/link/${token}`, headers: FORM, body: '' })
}

async function signIn(email: string, password: string, brand: TestBrand | null = null): Promise<Page> {
  const page = new Page(server, brand)
  await page.post('/auth/sign-in', { email, password })
  return page
}

async function sees(page: Page, { brand }: Team): Promise<boolean> {
  const headers = { 'x-brand-id': brand.externalId }
  return (await page.call({ path: '/api/v1/brand', headers })).status === 200
}

async function brandsOf(page: Page): Promise<readonly string[]> {
  const { body } = await page.call({ path: '/api/v1/me' })
  const brands: readonly unknown[] = Object(body['member']).brands
  return brands.map((brand) => String(Object(brand).brand_id)).toSorted()
}

async function stateOf({ owner }: Team, email: string): Promise<unknown> {
  const { body } = await owner.page.call({ path: PATH })
  const members: readonly unknown[] = Object(body['members'])
  return Object(members.find((member) => Object(member).email === email)).state
}

const someone = () => `${randomUUID()}@example.com`

test('a person who is invited to two brands and used neither link gets both, each by its own link', async () => {
  const [one, two] = [await newTeam(), await newTeam()]
  const email = someone()
  const first = await invite(one, email)
  const second = await invite(two, email)
  const page = new Page(server)
  assert.equal((await redeem(page, second)).status, 303)
  assert.deepEqual(await brandsOf(page), [two.brand.externalId])
  assert.equal(await stateOf(one, email), 'invited')
  const shown = await page.call({ path: `/auth/link/${first}` })
  assert.match(shown.text, /Join/)
  assert.doesNotMatch(shown.text, /type="password"/)
  assert.equal((await join(page, first)).status, 303)
  assert.deepEqual(await brandsOf(page), [one.brand.externalId, two.brand.externalId].toSorted())
  assert.equal(await stateOf(one, email), 'active')
  assert.equal((await join(page, first)).status, 404)
})

test('an owner who uses the link for a stranger himself gets no other brand, now or later', async () => {
  const [attacker, victim] = [await newTeam(), await newTeam()]
  const email = someone()
  const before = await invite(victim, email)
  const page = new Page(server, attacker.brand)
  assert.equal((await redeem(page, await invite(attacker, email), { password: OTHER_PASSWORD })).status, 303)
  assert.deepEqual(await brandsOf(page), [attacker.brand.externalId])
  assert.equal(await sees(page, victim), false)

  // The stranger has the link of the other brand, and is asked to sign in as the account that the attacker has made.
  const stranger = new Page(server)
  assert.match((await stranger.call({ path: `/auth/link/${before}` })).text, /Sign in as/)
  assert.equal((await redeem(stranger, before)).status, 403)
  assert.equal((await join(stranger, before)).status, 403)
  assert.equal((await stranger.call({ path: '/api/v1/me' })).status, 401)

  // The operator gives the account back. Nothing of the attacker is left in it, and the invitation still holds.
  assert.equal((await redeem(stranger, await linkFor(server, email))).status, 303)
  assert.equal((await join(stranger, before)).status, 303)
  assert.equal(await sees(stranger, victim), true)
  assert.equal((await page.call({ path: '/api/v1/me' })).status, 401)
  const again = await signIn(email, OTHER_PASSWORD)
  assert.equal((await again.call({ path: '/api/v1/me' })).status, 401)
})

test('an invitation of an account that exists opens nothing without a session of that account', async () => {
  const [attacker, victim] = [await newTeam(), await newTeam()]
  const member = await addMember(server, { brand: victim.brand, role: 'analyst' })
  const token = await invite(attacker, member.email)
  assert.equal(await stateOf(attacker, member.email), 'invited')
  for (const page of [new Page(server), attacker.owner.page]) {
    assert.equal((await redeem(page, token, { password: OTHER_PASSWORD })).status, 403)
    assert.equal((await join(page, token)).status, 403)
  }
  assert.equal(await sees(attacker.owner.page, victim), false)
  const own = await signIn(member.email, PASSWORD)
  assert.deepEqual(await brandsOf(own), [victim.brand.externalId])
  assert.equal((await join(own, token)).status, 303)
  await until(async () => sees(own, attacker), { what: 'the brand that was joined' })
})

test('a link that an owner kept sets no password once the member is in another brand', async () => {
  const [attacker, victim] = [await newTeam(), await newTeam()]
  const member = await addMember(server, { brand: attacker.brand, role: 'analyst' })
  const { body } = await attacker.owner.page.post(`${PATH}/${member.id}/reset`)
  const kept = tokenOf(body)
  const token = await invite(victim, member.email)
  // An invitation alone changes nothing: the owner may still reset a member of this brand only.
  assert.equal((await new Page(server).call({ path: `/auth/link/${kept}` })).status, 200)
  assert.equal((await join(await signIn(member.email, PASSWORD), token)).status, 303)
  assert.equal((await redeem(new Page(server), kept, { password: OTHER_PASSWORD })).status, 404)
  assert.equal((await attacker.owner.page.post(`${PATH}/${member.id}/reset`)).body['link'], null)
})

test('of two brands whose links for one new person are used at once, one sets the password', async () => {
  const [one, two] = [await newTeam(), await newTeam()]
  const email = someone()
  const tokens = [await invite(one, email), await invite(two, email)]
  const pages = [new Page(server), new Page(server)]
  const answers = await Promise.all(
    pages.map(async (page, index) => redeem(page, tokens[index] ?? '', { password: `${PASSWORD} ${index}` })),
  )
  const winners = answers.flatMap(({ status }, index) => (status === 303 ? [index] : []))
  assert.equal(winners.length, 1, answers.map(({ status }) => status).join(' '))
  const { rows } = await server.deps.database.team.query(
    `select accepted_at is not null as "isAccepted" from memberships join members on members.id = member_id
     where email = $1`,
    [email],
  )
  assert.deepEqual(rows.map((row) => String(Object.values(row)[0])).toSorted(), ['false', 'true'])
})

test('an invited owner does not let the last owner go, and has no say', async () => {
  const team = await newTeam()
  const { body } = await team.owner.page.post(PATH, { email: someone(), role: 'owner' })
  assert.equal(Object(body['member']).state, 'invited')
  const leave = { method: 'DELETE', path: `${PATH}/${team.owner.id}` }
  assert.equal((await team.owner.page.call(leave)).body['code'], 'last_owner')
})

test('a removed invitation takes its link with it', async () => {
  const team = await newTeam()
  const { body } = await team.owner.page.post(PATH, { email: someone(), role: 'editor' })
  const remove = { method: 'DELETE', path: `${PATH}/${String(Object(body['member']).id)}` }
  assert.equal((await team.owner.page.call(remove)).status, 200)
  assert.equal((await redeem(new Page(server), tokenOf(body))).status, 404)
})

test('an invitation that ran out is renewed by a reset, also for an account of another brand', async () => {
  const [one, two] = [await newTeam(), await newTeam()]
  const member = await addMember(server, { brand: two.brand })
  const old = await invite(one, member.email)
  const { body } = await one.owner.page.post(`${PATH}/${member.id}/reset`)
  assert.equal((await join(member.page, old)).status, 404)
  assert.equal((await join(member.page, tokenOf(body))).status, 303)
})

test('the first sign-in by the identity provider ends the ways in that somebody else has set up', async () => {
  const [attacker, victim] = [await newTeam(), await newTeam()]
  const email = someone()
  const page = new Page(server, attacker.brand)
  assert.equal((await redeem(page, await invite(attacker, email), { password: OTHER_PASSWORD })).status, 303)
  const person = new Page(server)
  const { body } = await person.post('/auth/sign-in/oidc')
  const back = provider.consent(String(body['url']), {
    sub: email,
    email,
    email_verified: true,
    name: 'Grace',
  })
  const headers = { 'sec-fetch-site': 'cross-site' }
  await person.call({ method: 'GET', path: `${back.pathname}${back.search}`, headers })
  assert.equal((await join(person, await invite(victim, email))).status, 303)
  await until(async () => sees(person, victim), { what: 'the brand that was joined' })
  assert.equal((await page.call({ path: '/api/v1/me' })).status, 401)
  const again = await signIn(email, OTHER_PASSWORD)
  assert.equal((await again.call({ path: '/api/v1/me' })).status, 401)
})
