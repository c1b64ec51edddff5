import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SIGN_IN } from '../../src/rules/sign-in.ts'
import { call, PUBLIC_URL, startServer } from '../support/processes/server.ts'
import {
  addMember,
  firstLink,
  linkFor,
  PASSWORD,
  Page,
  redeem,
  SESSION_COOKIE,
} from '../support/team/members.ts'

const server = await startServer()
after(server.close)
const brand = await server.brand()

test('the first administrator signs in by a link that works once, and owns every brand', async () => {
  const token = await firstLink(server)
  const page = new Page(server, brand)
  const shown = await page.call({ path: `/auth/link/${token}` })
  assert.equal(shown.status, 200)
  assert.match(shown.text, /e-mail address/)
  assert.match((await redeem(page, token)).text, /email is required/)
  const short = await redeem(page, token, { email: 'ada@example.com', password: 'short' })
  assert.match(short.text, /role="alert"/)
  assert.equal((await redeem(page, token, { email: 'Ada@example.com', name: 'Ada' })).status, 303)

  const { body } = await page.call({ path: '/api/v1/me' })
  assert.deepEqual(body['member'], {
    id: await idOf(page),
    email: 'ada@example.com',
    name: 'Ada',
    administrator: true,
    two_factor: false,
    is_placeholder: false,
    brands: [{ brand_id: brand.externalId, name: await nameOf(), role: 'owner' }],
  })
  assert.equal((await redeem(new Page(server), token, { email: 'eve@example.com' })).status, 404)
  assert.equal((await page.call({ path: '/api/v1/brand' })).status, 200)
  const { rows } = await server.deps.database.query<{ actor: string; line: string; hasRequest: boolean }>(
    `select actor, subject_type || ' ' || action as line, request_id is not null as "hasRequest"
     from audit where subject_id = $1 order by id`,
    [await idOf(page)],
  )
  const by = { actor: `member:${String(await idOf(page))}`, hasRequest: true }
  assert.deepEqual(
    rows,
    ['member created', 'membership created', 'sign_in_link used', 'password created'].map((line) => ({
      ...by,
      line,
    })),
  )
})

async function nameOf(): Promise<unknown> {
  const { rows } = await server.deps.database.query('select name from brands where id = $1', [brand.brandId])
  return Object.values(rows[0] ?? {})[0]
}

async function idOf(page: Page): Promise<unknown> {
  const { body } = await page.call({ path: '/api/v1/me' })
  const member: unknown = body['member']
  return typeof member === 'object' && member !== null && 'id' in member ? member.id : null
}

test('of two who use one link at once, one signs in', async () => {
  const { email } = await addMember(server, { brand })
  const token = await linkFor(server, email)
  const answers = await Promise.all([redeem(new Page(server), token), redeem(new Page(server), token)])
  assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['303', '404'])
})

test('the cookie is HttpOnly, Secure and SameSite, and the table has only its hash', async () => {
  const { email } = await addMember(server, { brand })
  const page = new Page(server, brand)
  const { headers, status } = await page.post('/auth/sign-in', { email, password: PASSWORD })
  assert.equal(status, 200)
  const [cookie = ''] = [headers['set-cookie'] ?? []].flat().filter((set) => set.startsWith(SESSION_COOKIE))
  for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/'])
    assert.ok(cookie.includes(attribute), `${attribute} in ${cookie}`)
  const token = page.cookies.get(SESSION_COOKIE)?.split('.')[0] ?? ''
  assert.ok(token.length >= 32)
  const { count } = await server.deps.database.team.query('select from member_sessions where token = $1', [
    token,
  ])
  assert.equal(count, 0)
})

test('401 is the same for an unknown address and for a wrong password', async () => {
  const { email } = await addMember(server, { brand })
  const page = new Page(server)
  const wrong = await page.post('/auth/sign-in', { email, password: 'not the password' })
  const unknown = await page.post('/auth/sign-in', {
    email: 'nobody@example.com',
    password: 'not the password',
  })
  assert.equal(wrong.status, 401)
  const { request_id: _, ...one } = wrong.body
  const { request_id: __, ...other } = unknown.body
  assert.deepEqual(one, other)
  assert.equal(wrong.headers['set-cookie'], undefined)
})

/** If the time told them apart, every reply of one kind would be faster than every one of the other: 1 in 6435 by chance. */
test('the time of the reply does not tell an unknown address from a wrong password', async () => {
  const { email } = await addMember(server, { brand })
  const page = new Page(server)
  const timed = async (address: string): Promise<number> => {
    const startedAt = performance.now()
    const { status } = await page.post('/auth/sign-in', { email: address, password: 'not the password' })
    assert.equal(status, 401)
    return performance.now() - startedAt
  }
  const [known, unknown]: [number[], number[]] = [[], []]
  for (let round = 0; round < 8; round += 1) {
    known.push(await timed(email))
    unknown.push(await timed('somebody@example.com'))
  }
  assert.ok(Math.min(...known) <= Math.max(...unknown), `${known.join(' ')} | ${unknown.join(' ')}`)
  assert.ok(Math.min(...unknown) <= Math.max(...known), `${known.join(' ')} | ${unknown.join(' ')}`)
  for (const ms of [...known, ...unknown]) assert.ok(ms >= SIGN_IN.stepMs)
})

test('a session that the caller brings is not the one it gets', async () => {
  const { email, page: victim } = await addMember(server, { brand })
  const planted = 'A'.repeat(32)
  const page = new Page(server, brand)
  page.cookies.set(SESSION_COOKIE, `${planted}.x`)
  assert.equal((await page.post('/auth/sign-in', { email, password: PASSWORD })).status, 200)
  assert.notEqual(page.cookies.get(SESSION_COOKIE)?.split('.')[0], planted)
  const fixed = new Page(server, brand)
  fixed.cookies.set(SESSION_COOKIE, `${planted}.x`)
  assert.equal((await fixed.call({ path: '/api/v1/me' })).status, 401)
  assert.equal((await victim.call({ path: '/api/v1/me' })).status, 200)
})

test('403 for a cookie without the Origin of our own pages', async () => {
  const { page } = await addMember(server, { brand })
  const cookie = [...page.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const brandHeader = { 'x-brand-id': brand.externalId }
  const wrong = [
    {},
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: PUBLIC_URL, 'sec-fetch-site': 'cross-site' },
    { origin: PUBLIC_URL, 'sec-fetch-site': 'same-site' },
  ]
  for (const headers of wrong) {
    for (const path of ['/auth/sign-out', '/api/v1/topics']) {
      const given = { cookie, ...brandHeader, ...headers }
      const { status, body } = await call(server.port, { method: 'POST', path, headers: given, body: {} })
      assert.equal(status, 403, `${path} ${JSON.stringify(headers)}`)
      assert.equal(body['code'], 'foreign_origin')
    }
  }
  const read = await call(server.port, { path: '/api/v1/brand', headers: { cookie, ...brandHeader } })
  assert.equal(read.status, 200)
  const signIn = await call(server.port, { path: '/auth/sign-in', body: { email: 'a@b.c', password: 'x' } })
  assert.equal(signIn.body['code'], 'foreign_origin')
})

test('429 after so many attempts for one address from one network, right password or not', async () => {
  const { email } = await addMember(server, { brand })
  const page = new Page(server)
  // Using the link was the first.
  for (let attempt = 1; attempt <= SIGN_IN.attemptsMax; attempt += 1)
    assert.equal((await page.post('/auth/sign-in', { email, password: 'not it' })).status, 401)
  const { status, headers } = await page.post('/auth/sign-in', { email, password: PASSWORD })
  assert.equal(status, 429)
  assert.ok(Number(headers['retry-after']) > 0)
})

test('sessions are listed with device and time, and one that is ended is refused at once', async () => {
  const { email, page } = await addMember(server, { brand })
  const other = new Page(server, brand)
  await other.call({
    method: 'POST',
    path: '/auth/sign-in',
    headers: { 'user-agent': 'Firefox on a phone' },
    body: { email, password: PASSWORD },
  })
  assert.equal((await other.call({ path: '/api/v1/me' })).status, 200)
  const { body } = await page.call({ path: '/api/v1/me/sessions' })
  const sessions: readonly unknown[] = Array.isArray(body['sessions']) ? body['sessions'] : []
  assert.equal(sessions.length, 2)
  const [newest] = sessions
  assert.ok(typeof newest === 'object' && newest !== null && 'id' in newest && 'device' in newest)
  assert.equal(newest.device, 'Firefox on a phone')
  const path = `/api/v1/me/sessions/${String(newest.id)}`
  assert.equal((await page.call({ method: 'DELETE', path })).status, 200)
  assert.equal((await page.call({ method: 'DELETE', path })).status, 404)
  assert.equal((await other.call({ path: '/api/v1/me' })).status, 401)
  assert.equal((await page.post('/auth/sign-out')).status, 200)
  assert.equal((await page.call({ path: '/api/v1/me' })).status, 401)
})
