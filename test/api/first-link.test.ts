import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { SIGN_IN } from '../../src/rules/sign-in.ts'
import { ensureMember } from '../../src/store/team/members.ts'
import { call, startServer } from '../support/processes/server.ts'
import { addMember, firstLink, linkFor, PASSWORD, Page, redeem } from '../support/team/members.ts'
import { until } from '../support/until.ts'

const server = await startServer()
after(server.close)
const brand = await server.brand()

test('the first link opens Beckon without an account; address and password follow', async (context) => {
  const page = new Page(server, brand)

  await context.test('looking at the page uses nothing up, and the button signs in once', async () => {
    const token = await firstLink(server)
    const shown = await page.call({ path: `/auth/link/${token}` })
    assert.match(shown.text, /<form method="post"><button type="submit">Open Beckon<\/button><\/form>/)
    assert.match(shown.text, /Your e-mail address/)
    const stranger = await call(server.port, {
      method: 'POST',
      path: `/auth/link/${token}`,
      headers: FORM,
      body: '',
    })
    assert.equal(stranger.status, 403)

    const answers = await Promise.all([open(page, token), open(new Page(server), token)])
    assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['303', '404'])
    const [first] = answers
    if (first.status !== 303) assert.equal((await open(page, await firstLink(server))).status, 303)
    assert.equal((await open(new Page(server), token)).status, 404)
  })

  await context.test('the administrator owns every brand and is said to have no password', async () => {
    const { member } = (await page.call({ path: '/api/v1/me' })).body
    const { email, is_placeholder, administrator, brands } = Object(member)
    assert.deepEqual([email, is_placeholder, administrator], [SIGN_IN.placeholderEmail, true, true])
    assert.deepEqual(
      Object(brands).map((row: object) => Object(row).role),
      ['owner'],
    )
    const team = await page.call({ path: '/api/v1/team/members' })
    assert.equal(Object(team.body['members'])[0].state, 'active')
    // A new session is a proof, as any other; a password there is none.
    assert.equal((await page.post('/auth/passkeys/options')).status, 200)
    assert.equal((await page.post('/auth/confirm', { password: PASSWORD })).body['code'], 'sign_in_failed')
    const wrong = { email: SIGN_IN.placeholderEmail, password: PASSWORD }
    assert.equal((await new Page(server).post('/auth/sign-in', wrong)).status, 400)
    const invitation = { email: SIGN_IN.placeholderEmail, role: 'editor' }
    assert.equal((await page.post('/api/v1/team/members', invitation)).status, 400)
  })

  await context.test(
    'an administrator who lost the session gets a new link with the same two ways',
    async () => {
      const back = new Page(server, brand)
      assert.equal((await open(back, await firstLink(server))).status, 303)
      assert.equal((await page.call({ path: '/api/v1/me' })).status, 401)
      const { body } = await back.call({ path: '/api/v1/me' })
      assert.equal(Object(body['member']).is_placeholder, true)
      assert.equal((await open(page, await linkFor(server, SIGN_IN.placeholderEmail))).status, 303)
    },
  )

  await context.test('a link of anybody else opens nothing without a password', async () => {
    const { email } = await addMember(server, { brand, role: 'editor' })
    const answer = await open(new Page(server), await linkFor(server, email))
    assert.equal(answer.status, 200)
    assert.match(answer.text, /password is required/)
  })

  await context.test('claim sets address, name and password once, and voids the other ways in', async () => {
    const claim = { email: 'Ada@example.com', name: 'Ada', password: PASSWORD }
    const grace = await addMember(server, { brand, role: 'editor' })
    assert.equal((await grace.page.post('/auth/claim', claim)).body['code'], 'already_claimed')
    assert.equal(
      (await page.post('/auth/claim', { ...claim, email: grace.email })).body['code'],
      'email_taken',
    )
    assert.equal((await page.post('/auth/claim', { ...claim, email: 'administrator' })).status, 400)
    assert.equal((await page.post('/auth/claim', { ...claim, password: 'short' })).status, 400)
    assert.equal((await call(server.port, { path: '/auth/claim', body: claim })).status, 401)
    const foreign = { origin: 'https://evil.example' }
    const request = { method: 'POST', path: '/auth/claim', headers: foreign, body: claim }
    assert.equal((await page.call(request)).body['code'], 'foreign_origin')

    const token = await linkFor(server, SIGN_IN.placeholderEmail)
    assert.equal((await page.post('/auth/claim', claim)).status, 200)
    assert.equal((await open(new Page(server), token)).status, 404)
    const { member } = (await page.call({ path: '/api/v1/me' })).body
    const { id, email, name, is_placeholder } = Object(member)
    assert.deepEqual([email, name, is_placeholder], ['ada@example.com', 'Ada', false])
    assert.equal((await page.post('/auth/claim', claim)).body['code'], 'already_claimed')
    const signedIn = await new Page(server).post('/auth/sign-in', { email, password: PASSWORD })
    assert.equal(signedIn.status, 200)
    const { rows } = await server.deps.database.query(
      `select actor, request_id is not null as "hasRequest" from audit
       where subject_type = 'member' and action = 'claimed'`,
    )
    assert.deepEqual(rows, [{ actor: `member:${String(id)}`, hasRequest: true }])
  })
})

test('the form of a new link of an administrator without a password sets both', async () => {
  const other = await startServer()
  try {
    await open(new Page(other), await firstLink(other))
    const page = new Page(other)
    const token = await linkFor(other, SIGN_IN.placeholderEmail)
    assert.match((await redeem(page, token)).text, /email is required/)
    assert.equal((await redeem(page, token, { email: 'ada@example.com' })).status, 303)
    const { body } = await page.call({ path: '/api/v1/me' })
    assert.equal(Object(body['member']).email, 'ada@example.com')
    assert.equal(Object(body['member']).is_placeholder, false)
  } finally {
    await other.close()
  }
})

test('of two claims at once, or a claim and an invitation of one address, one wins and the other is told', async () => {
  const other = await startServer()
  const { database } = other.deps
  try {
    const page = new Page(other)
    await open(page, await firstLink(other))
    const claim = { name: 'Ada', password: PASSWORD }
    const isWaiting = `select from pg_locks join pg_stat_activity using (pid)
      where not granted and datname = current_database()`
    const claimed = await database.asTeam(async (tx) => {
      const draft = { email: 'ada@example.com', name: '', isAdministrator: false, now: Date.now() }
      await ensureMember(tx, { ...draft, id: randomUUID() })
      const answer = page.post('/auth/claim', { ...claim, email: 'ada@example.com' })
      await until(async () => (await database.query(isWaiting)).count === 1, { what: 'the claim to wait' })
      return { answer }
    })
    const { status, body } = await claimed.answer
    assert.deepEqual([status, body['code']], [409, 'email_taken'])

    const claims = ['grace@example.com', 'grace@example.com', 'alan@example.com'].map(async (email) =>
      page.post('/auth/claim', { ...claim, email }),
    )
    const answers = await Promise.all(claims)
    assert.deepEqual(answers.map((answer) => String(answer.status)).toSorted(), ['200', '409', '409'])
  } finally {
    await other.close()
  }
})

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

async function open(page: Page, token: string) {
  return page.call({ method: 'POST', path: `/auth/link/${token}`, headers: FORM, body: '' })
}
