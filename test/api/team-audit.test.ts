import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { INSTANCE_ROUTES } from '../../src/http/instance/routes.ts'
import { AUTH_ROUTES, TEAM_ROUTES } from '../../src/http/team/routes.ts'
import type { TestBrand } from '../support/database/database.ts'
import { type Answer, PUBLIC_URL, startServer } from '../support/processes/server.ts'
import { Authenticator } from '../support/team/authenticator.ts'
import {
  addMember,
  firstLink,
  linkFor,
  PASSWORD,
  Page,
  redeem,
  type TestMember,
} from '../support/team/members.ts'
import { OidcServer } from '../support/team/oidc-server.ts'
import { totpCode } from '../support/team/totp.ts'

const provider = await new OidcServer().listen()
const server = await startServer({ oidc: provider })
after(async () => {
  await server.close()
  provider.close()
})
const { database } = server.deps
const brand = await server.brand()
const MEMBERS = '/api/v1/team/members'
const BRANDS = '/api/v1/brands'

/** A call, the member who is its author, and the lines that it leaves: type and action. */
type Act = { readonly answer: Answer; readonly by: string; readonly lines: readonly string[] }

const NOBODY = ''

async function addAdministrator(): Promise<TestMember> {
  const member = await addMember(server, { brand })
  await database.team.query('update members set is_administrator = true where id = $1', [member.id])
  return member
}

async function guestOf({ page }: TestMember): Promise<string> {
  const { body } = await page.post(MEMBERS, { email: `${randomUUID()}@example.com`, role: 'analyst' })
  return `${MEMBERS}/${String(Object(body['member']).id)}`
}

async function beginApp({
  page,
}: TestMember): Promise<{ readonly uri: string; readonly codes: readonly string[] }> {
  const { body } = await page.post('/auth/two-factor', { password: PASSWORD })
  const codes: unknown = body['recovery_codes']
  return { uri: String(body['totp_uri']), codes: Array.isArray(codes) ? codes.map(String) : [] }
}

/** A member with an authenticator app. */
async function addCareful(): Promise<{
  readonly member: TestMember
  readonly uri: string
  readonly codes: readonly string[]
}> {
  const member = await addMember(server, { brand })
  const app = await beginApp(member)
  await member.page.post('/auth/two-factor/verify', { code: totpCode(app.uri, Date.now()) })
  return { member, ...app }
}

async function newPasskey({
  page,
}: TestMember): Promise<{ readonly device: Authenticator; readonly response: object }> {
  const device = new Authenticator()
  const { body } = await page.post('/auth/passkeys/options')
  return { device, response: device.create({ options: body['options'], origin: PUBLIC_URL }) }
}

async function addPasskey(member: TestMember): Promise<Authenticator> {
  const { device, response } = await newPasskey(member)
  await member.page.post('/auth/passkeys', { name: 'phone', response })
  return device
}

async function signIn({ email }: TestMember): Promise<{ readonly page: Page; readonly answer: Answer }> {
  const page = new Page(server, brand)
  return { page, answer: await page.post('/auth/sign-in', { email, password: PASSWORD }) }
}

async function stopped(page: Page): Promise<TestBrand> {
  const made = await server.brand()
  await page.call({ method: 'DELETE', path: `${BRANDS}/${made.externalId}` })
  return made
}

/** A sign-in changes nothing that belongs to the log: the member's list of sessions has it. */
const ACTS: Readonly<Record<string, () => Promise<Act>>> = {
  'POST /auth/sign-in': async () => {
    const { answer } = await signIn(await addMember(server, { brand }))
    return { answer, by: NOBODY, lines: [] }
  },
  'POST /auth/sign-in/code': async () => {
    const { member, uri } = await addCareful()
    const { page } = await signIn(member)
    const answer = await page.post('/auth/sign-in/code', { code: totpCode(uri, Date.now() + 30_000) })
    return { answer, by: NOBODY, lines: [] }
  },
  'POST /auth/sign-in/recovery-code': async () => {
    const { member, codes } = await addCareful()
    const { page } = await signIn(member)
    const answer = await page.post('/auth/sign-in/recovery-code', { code: codes[0] })
    return { answer, by: member.id, lines: ['recovery_code used'] }
  },
  'POST /auth/sign-in/passkey/options': async () => ({
    answer: await new Page(server).post('/auth/sign-in/passkey/options'),
    by: NOBODY,
    lines: [],
  }),
  'POST /auth/sign-in/passkey': async () => {
    const device = await addPasskey(await addMember(server, { brand }))
    const page = new Page(server, brand)
    const { options } = (await page.post('/auth/sign-in/passkey/options')).body
    const response = device.sign({ options, origin: PUBLIC_URL })
    return { answer: await page.post('/auth/sign-in/passkey', { response }), by: NOBODY, lines: [] }
  },
  'POST /auth/sign-in/oidc': async () => ({
    answer: await new Page(server).post('/auth/sign-in/oidc'),
    by: NOBODY,
    lines: [],
  }),
  'GET /auth/callback/oidc': async () => {
    const { member } = await addCareful()
    await addPasskey(member)
    const page = new Page(server, brand)
    const { url } = (await page.post('/auth/sign-in/oidc')).body
    const person = { sub: member.id, email: member.email, email_verified: true }
    const { pathname, search } = provider.consent(String(url), person)
    const answer = await page.call({ path: `${pathname}${search}` })
    const gone = ['member changed', 'passkey deleted', 'password deleted', 'session deleted']
    return { answer, by: member.id, lines: [...gone, 'provider_account created'] }
  },
  'POST /auth/sign-out': async () => {
    const { id, page } = await addMember(server, { brand })
    return { answer: await page.post('/auth/sign-out'), by: id, lines: ['session deleted'] }
  },
  'POST /auth/confirm': async () => {
    const { page } = await addMember(server, { brand })
    return { answer: await page.post('/auth/confirm', { password: PASSWORD }), by: NOBODY, lines: [] }
  },
  'POST /auth/password': async () => {
    const member = await addMember(server, { brand })
    await signIn(member)
    const body = { current_password: PASSWORD, new_password: 'another long password' }
    const answer = await member.page.post('/auth/password', body)
    return { answer, by: member.id, lines: ['password changed', 'session deleted'] }
  },
  'POST /auth/claim': async () => {
    const page = new Page(server, brand)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    await page.call({ method: 'POST', path: `/auth/link/${await firstLink(server)}`, headers, body: '' })
    const { member } = (await page.call({ path: '/api/v1/me' })).body
    const body = { email: `${randomUUID()}@example.com`, password: PASSWORD }
    const answer = await page.post('/auth/claim', body)
    return { answer, by: String(Object(member).id), lines: ['member claimed', 'password created'] }
  },
  // The app works only after its first code.
  'POST /auth/two-factor': async () => {
    const { page } = await addMember(server, { brand })
    return { answer: await page.post('/auth/two-factor', { password: PASSWORD }), by: NOBODY, lines: [] }
  },
  'POST /auth/two-factor/verify': async () => {
    const member = await addMember(server, { brand })
    const { uri } = await beginApp(member)
    const answer = await member.page.post('/auth/two-factor/verify', { code: totpCode(uri, Date.now()) })
    return { answer, by: member.id, lines: ['member changed'] }
  },
  'POST /auth/two-factor/off': async () => {
    const { member } = await addCareful()
    const answer = await member.page.post('/auth/two-factor/off', { password: PASSWORD })
    return { answer, by: member.id, lines: ['member changed'] }
  },
  'POST /auth/passkeys/options': async () => {
    const { page } = await addMember(server, { brand })
    return { answer: await page.post('/auth/passkeys/options'), by: NOBODY, lines: [] }
  },
  'POST /auth/passkeys': async () => {
    const member = await addMember(server, { brand })
    const { response } = await newPasskey(member)
    const answer = await member.page.post('/auth/passkeys', { name: 'phone', response })
    return { answer, by: member.id, lines: ['passkey created'] }
  },
  'DELETE /auth/passkeys/{id}': async () => {
    const member = await addMember(server, { brand })
    await addPasskey(member)
    const { passkeys } = (await member.page.call({ path: '/auth/passkeys' })).body
    const path = `/auth/passkeys/${String(Object(passkeys)[0].id)}`
    const answer = await member.page.call({ method: 'DELETE', path })
    return { answer, by: member.id, lines: ['passkey deleted'] }
  },
  'POST /auth/link/{token}': async () => {
    const member = await addMember(server, { brand })
    await addPasskey(member)
    const answer = await redeem(new Page(server), await linkFor(server, member.email))
    const lines = ['passkey deleted', 'password changed', 'session deleted', 'sign_in_link used']
    return { answer, by: member.id, lines }
  },
  'DELETE /api/v1/me/sessions/{id}': async () => {
    const member = await addMember(server, { brand })
    await signIn(member)
    const { sessions } = (await member.page.call({ path: '/api/v1/me/sessions' })).body
    const path = `/api/v1/me/sessions/${String(Object(sessions)[0].id)}`
    const answer = await member.page.call({ method: 'DELETE', path })
    return { answer, by: member.id, lines: ['session deleted'] }
  },
  [`POST ${MEMBERS}`]: async () => {
    const { id, page } = await addMember(server, { brand })
    const answer = await page.post(MEMBERS, { email: `${randomUUID()}@example.com`, role: 'analyst' })
    return { answer, by: id, lines: ['member created', 'membership created', 'sign_in_link created'] }
  },
  [`PATCH ${MEMBERS}/{id}`]: async () => {
    const owner = await addMember(server, { brand })
    const request = { method: 'PATCH', path: await guestOf(owner), body: { role: 'author' } }
    return { answer: await owner.page.call(request), by: owner.id, lines: ['membership changed'] }
  },
  [`DELETE ${MEMBERS}/{id}`]: async () => {
    const owner = await addMember(server, { brand })
    const member = await addMember(server, { brand, role: 'editor' })
    await addPasskey(member)
    const answer = await owner.page.call({ method: 'DELETE', path: `${MEMBERS}/${member.id}` })
    return { answer, by: owner.id, lines: ['member deleted', 'membership deleted'] }
  },
  [`POST ${MEMBERS}/{id}/reset`]: async () => {
    const owner = await addMember(server, { brand })
    const answer = await owner.page.post(`${await guestOf(owner)}/reset`)
    return { answer, by: owner.id, lines: ['sign_in_link created'] }
  },
  [`POST ${BRANDS}`]: async () => {
    const { id, page } = await addAdministrator()
    const answer = await page.post(BRANDS, { brand_id: `made.${randomUUID()}` })
    return { answer, by: id, lines: ['brand created', 'membership created'] }
  },
  [`PATCH ${BRANDS}/{brand_id}`]: async () => {
    const { id, page } = await addAdministrator()
    const request = { method: 'PATCH', path: `${BRANDS}/${brand.externalId}`, body: { name: randomUUID() } }
    return { answer: await page.call(request), by: id, lines: ['brand changed'] }
  },
  [`DELETE ${BRANDS}/{brand_id}`]: async () => {
    const { id, page } = await addAdministrator()
    const path = `${BRANDS}/${(await server.brand()).externalId}`
    return { answer: await page.call({ method: 'DELETE', path }), by: id, lines: ['brand deleted'] }
  },
  [`POST ${BRANDS}/{brand_id}/restore`]: async () => {
    const { id, page } = await addAdministrator()
    const { externalId } = await stopped(page)
    const answer = await page.post(`${BRANDS}/${externalId}/restore`)
    return { answer, by: id, lines: ['brand restored'] }
  },
}

const WRITES = [...AUTH_ROUTES, ...TEAM_ROUTES, ...INSTANCE_ROUTES]
  .filter(({ method, path }) => method !== 'GET' || path === '/auth/callback/oidc')
  .map(({ method, path }) => `${method} ${path}`)

test('every route of the sign-in, the team and the instance that changes something is in this table', () => {
  assert.deepEqual(Object.keys(ACTS).toSorted(), WRITES.toSorted())
})

// The first administrator comes before all other members.
const ORDER = ['POST /auth/claim', ...WRITES.filter((route) => route !== 'POST /auth/claim')]

for (const route of ORDER) {
  test(`${route} leaves its lines, with the member as their author`, async () => {
    const act = ACTS[route]
    assert.ok(act !== undefined)
    const { answer, by, lines } = await act()
    assert.ok(answer.status < 400, answer.text)
    const { rows } = await database.query<{ actor: string; line: string; network: string }>(
      `select actor, subject_type || ' ' || action as line, network from audit where request_id = $1`,
      [String(answer.headers['x-request-id'])],
    )
    assert.deepEqual(rows.map(({ line }) => line).toSorted(), lines.toSorted())
    for (const { actor, network } of rows) assert.deepEqual([actor, network], [`member:${by}`, '127.0.0.1'])
  })
}

test('no line of these has a secret, an address or a name', async () => {
  const { rows } = await database.query<{ text: string }>('select audit::text as text from audit')
  const secrets = await database.team.query<{ text: string }>(
    `select unnest(array[a.password, p.public_key, p.credential_id, p.name, t.secret, t.backup_codes, m.email]) as text
     from members as m left join member_accounts as a on a.member_id = m.id
       left join member_passkeys as p on p.member_id = m.id left join member_two_factors as t on t.member_id = m.id`,
  )
  const hidden = secrets.rows.flatMap(({ text }) => (text === null ? [] : [text]))
  assert.ok(hidden.length > 50 && rows.length > 50)
  const log = rows.map(({ text }) => text).join('\n')
  for (const secret of hidden) assert.ok(!log.includes(secret), secret)
})
