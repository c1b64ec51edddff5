import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Route } from '../../src/http/route.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { SIGN_IN } from '../../src/rules/sign-in.ts'
import { type Answer, startServer } from '../support/processes/server.ts'
import { addMember, PASSWORD, Page, type TestMember } from '../support/team/members.ts'
import { totpCode } from '../support/team/totp.ts'

const server = await startServer()
after(server.close)
const brand = await server.brand()

type App = { readonly uri: string; readonly recoveryCodes: readonly string[]; readonly firstCode: string }

async function switchOn({ page }: TestMember): Promise<App> {
  const { body } = await page.post('/auth/two-factor', { password: PASSWORD })
  const uri = String(body['totp_uri'])
  const recoveryCodes = Array.isArray(body['recovery_codes']) ? body['recovery_codes'].map(String) : []
  const firstCode = totpCode(uri, Date.now())
  assert.equal((await page.post('/auth/two-factor/verify', { code: firstCode })).status, 200)
  return { uri, recoveryCodes, firstCode }
}

async function begin(email: string): Promise<Page> {
  const page = new Page(server, brand)
  const { body, status } = await page.post('/auth/sign-in', { email, password: PASSWORD })
  assert.equal(status, 200)
  assert.equal(body['two_factor'], true)
  assert.equal((await page.call({ path: '/api/v1/me' })).status, 401)
  return page
}

test('a code of the app is taken once: not again, and not the one that switched the app on', async () => {
  const member = await addMember(server, { brand })
  const { uri, firstCode } = await switchOn(member)
  const replay = await begin(member.email)
  assert.equal((await replay.post('/auth/sign-in/code', { code: firstCode })).body['code'], 'code_wrong')
  // The library also takes the code of the next half minute.
  const next = totpCode(uri, Date.now() + 30_000)
  const page = await begin(member.email)
  assert.equal((await page.post('/auth/sign-in/code', { code: next })).status, 200)
  assert.equal((await page.call({ path: '/api/v1/me' })).status, 200)
  const thief = await begin(member.email)
  const refused = await thief.post('/auth/sign-in/code', { code: next })
  assert.equal(refused.body['code'], 'code_wrong')
  assert.equal(refused.headers['set-cookie'], undefined)
  assert.equal((await thief.call({ path: '/api/v1/me' })).status, 401)
})

test('a recovery code works once, and the password alone never', async () => {
  const member = await addMember(server, { brand })
  const { recoveryCodes } = await switchOn(member)
  assert.equal(recoveryCodes.length, 10)
  const [code = ''] = recoveryCodes
  const page = await begin(member.email)
  assert.equal((await page.post('/auth/sign-in/recovery-code', { code })).status, 200)
  const again = await begin(member.email)
  assert.equal((await again.post('/auth/sign-in/recovery-code', { code })).status, 401)
  const { rows } = await server.deps.database.team.query(
    'select secret, backup_codes from member_two_factors',
  )
  assert.ok(!JSON.stringify(rows).includes(code), 'the codes are stored encrypted')
})

test('a second step without a first one is refused', async () => {
  const page = new Page(server)
  assert.equal((await page.post('/auth/sign-in/code', { code: '123456' })).body['code'], 'code_wrong')
})

test('403 before a secret, until the member has proved again who they are', async () => {
  const { page, id } = await addMember(server, { brand })
  const create = async () => page.post('/api/v1/brand/keys', { kind: 'secret', scopes: ['push'] })
  assert.equal((await create()).status, 200)
  const { asOwner } = server
  const before = new Date(Date.now() - SIGN_IN.confirmedMinutes * 60_000).toISOString()
  await asOwner(`update member_sessions set confirmed_at = '${before}' where member_id = '${id}'`)
  server.server.forgetKeys()
  assert.equal((await create()).body['code'], 'proof_needed')
  const credentials = { method: 'PUT', path: '/api/v1/brand/channels/web', body: { rotate: true } }
  assert.equal((await page.call(credentials)).body['code'], 'proof_needed')
  assert.equal((await page.post('/auth/passkeys/options')).body['code'], 'proof_needed')
  assert.equal((await page.post('/auth/confirm', { password: 'not the password' })).status, 401)
  assert.equal((await page.post('/auth/confirm', { password: PASSWORD })).status, 200)
  // The server has cached the old proof, and no notice of the new one has come.
  assert.equal((await create()).status, 200)
})

test('the app is switched off with the password alone, and then a password signs in', async () => {
  const member = await addMember(server, { brand })
  const { recoveryCodes } = await switchOn(member)
  const off = async (password: string): Promise<Answer> =>
    member.page.post('/auth/two-factor/off', { password })
  assert.equal((await off('not the password')).body['code'], 'sign_in_failed')
  await begin(member.email)
  const before = new Map(member.page.cookies)

  assert.equal((await off(PASSWORD)).status, 200)
  const { body } = await member.page.call({ path: '/api/v1/me' })
  assert.equal(Object(body['member']).two_factor, false)
  const stale = new Page(server, brand)
  for (const [name, value] of before) stale.cookies.set(name, value)
  assert.equal((await stale.call({ path: '/api/v1/me' })).status, 401, 'the session has a new token')
  const { count } = await server.deps.database.team.query(
    'select from member_two_factors where member_id = $1',
    [member.id],
  )
  assert.equal(count, 0, 'secret and recovery codes are gone')
  const page = new Page(server, brand)
  const signedIn = await page.post('/auth/sign-in', { email: member.email, password: PASSWORD })
  assert.equal(signedIn.body['two_factor'], false)
  assert.equal((await page.call({ path: '/api/v1/me' })).status, 200)
  const [code = ''] = recoveryCodes
  assert.equal((await page.post('/auth/sign-in/recovery-code', { code })).body['code'], 'code_wrong')
  const again = await off(PASSWORD)
  assert.deepEqual([again.status, again.body['code']], [409, 'two_factor_state'])
})

test('401 for switching the app off without a session', async () => {
  const { status } = await new Page(server).post('/auth/two-factor/off', { password: PASSWORD })
  assert.equal(status, 401)
})

/** No row of the path is there, so that a call with a proof is refused for another reason and changes nothing. */
async function codeOf(page: Page, { method, path }: Route): Promise<unknown> {
  const address = path.replaceAll(/\{\w+\}/g, '00000000-0000-0000-0000-000000000000')
  const { body } = await page.call({ method, path: address, ...(method === 'DELETE' ? {} : { body: {} }) })
  return body['code']
}

test('every row that needs a proof refuses a member whose proof is too old, and no row with a new one', async () => {
  const { page, id } = await addMember(server, { brand })
  await server.asOwner(`update members set is_administrator = true where id = '${id}'`)
  const proven = ROUTES.filter(({ needsProof }) => needsProof === true)
  const names = proven.map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(names.toSorted(), [
    'DELETE /api/v1/brands/{brand_id}',
    'DELETE /auth/passkeys/{id}',
    'POST /api/v1/brand/identity-key',
    'POST /api/v1/brand/keys',
    'POST /api/v1/team/members',
    'POST /api/v1/team/members/{id}/reset',
    'POST /api/v1/webhooks',
    'POST /api/v1/webhooks/{id}/rotate',
    'POST /auth/passkeys',
    'POST /auth/passkeys/options',
    'PUT /api/v1/brand/channels/android',
    'PUT /api/v1/brand/channels/ios',
    'PUT /api/v1/brand/channels/web',
  ])
  const codes = async (): Promise<readonly unknown[]> => {
    const found: unknown[] = []
    for (const route of proven) found.push(await codeOf(page, route))
    return found
  }
  assert.deepEqual(
    (await codes()).filter((code) => code === 'proof_needed'),
    [],
  )
  const tooOld = `now() - interval '${SIGN_IN.confirmedMinutes} minutes'`
  await server.asOwner(`update member_sessions set confirmed_at = ${tooOld} where member_id = '${id}'`)
  server.server.forgetKeys()
  assert.deepEqual([...new Set(await codes())], ['proof_needed'])
})

test('a changed password ends the other sessions', async () => {
  const member = await addMember(server, { brand })
  const other = new Page(server, brand)
  await other.post('/auth/sign-in', { email: member.email, password: PASSWORD })
  const body = { current_password: PASSWORD, new_password: 'another long password' }
  assert.equal((await member.page.post('/auth/password', body)).status, 200)
  assert.equal((await member.page.call({ path: '/api/v1/me' })).status, 200)
  assert.equal((await other.call({ path: '/api/v1/me' })).status, 401)
})
