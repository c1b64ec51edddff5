import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { addMember, Page, redeem } from '../support/team/members.ts'
import { until } from '../support/until.ts'

const server = await startServer()
const stop = new AbortController()
const listening = server.deps.database.listenForKeysGone(() => server.server.forgetKeys(), stop.signal)
after(async () => {
  stop.abort()
  await listening
  await server.close()
})

const PATH = '/api/v1/team/members'

test('an owner invites; the link makes a member who works in this brand and in no other', async () => {
  const brand = await server.brand()
  const other = await server.brand()
  const { page: owner } = await addMember(server, { brand })
  const email = `${randomUUID()}@example.com`
  const { status, body } = await owner.post(PATH, { email, role: 'analyst' })
  assert.equal(status, 200)
  const token = String(Object(body['link']).url).split('/').at(-1) ?? ''
  const page = new Page(server, brand)
  assert.equal((await redeem(page, token)).status, 303)
  assert.equal((await page.call({ path: '/api/v1/brand' })).status, 200)
  assert.equal((await page.call({ method: 'PATCH', path: '/api/v1/brand', body: {} })).status, 403)
  assert.equal((await page.call({ path: PATH })).status, 403)
  const strange = await page.call({ path: '/api/v1/brand', headers: { 'x-brand-id': other.externalId } })
  assert.equal(strange.status, 401)
  const { body: list } = await owner.call({ path: PATH })
  const members: readonly unknown[] = Array.isArray(list['members']) ? list['members'] : []
  assert.deepEqual(members.map((member) => String(Object(member).role)).toSorted(), ['analyst', 'owner'])
  assert.equal((await owner.post(PATH, { email, role: 'editor' })).body['code'], 'member_exists')
})

test('a key cannot read or change the team, nor be a member', async () => {
  const brand = await server.brand()
  const headers = keyHeaders(brand)
  assert.equal((await call(server.port, { path: PATH, headers })).status, 403)
  assert.equal((await call(server.port, { path: '/api/v1/me', headers })).status, 401)
})

test('a removed member is refused at once, with session and password', async () => {
  const brand = await server.brand()
  const { page: owner } = await addMember(server, { brand })
  const { page, id, email } = await addMember(server, { brand, role: 'editor' })
  assert.equal((await page.call({ path: '/api/v1/brand' })).status, 200)
  assert.equal((await owner.call({ method: 'DELETE', path: `${PATH}/${id}` })).status, 200)
  // The process that removed the member has it from the database, like every other.
  await until(async () => (await page.call({ path: '/api/v1/brand' })).status === 401, {
    what: 'the session to be refused',
  })
  assert.equal((await page.call({ path: '/api/v1/me' })).status, 401)
  const again = await new Page(server).post('/auth/sign-in', {
    email,
    password: 'correct horse battery staple',
  })
  assert.equal(again.body['code'], 'sign_in_failed')
  assert.equal((await owner.call({ method: 'DELETE', path: `${PATH}/${id}` })).status, 404)
})

test('a changed role holds at once', async () => {
  const brand = await server.brand()
  const { page: owner } = await addMember(server, { brand })
  const { page, id } = await addMember(server, { brand, role: 'owner' })
  assert.equal((await page.call({ path: PATH })).status, 200)
  const change = { method: 'PATCH', path: `${PATH}/${id}`, body: { role: 'analyst' } }
  assert.equal((await owner.call(change)).status, 200)
  await until(async () => (await page.call({ path: PATH })).status === 403, { what: 'the new role' })
})

test('the last owner stays: not removed, not another role', async () => {
  const brand = await server.brand()
  const { page, id } = await addMember(server, { brand })
  await addMember(server, { brand, role: 'editor' })
  const path = `${PATH}/${id}`
  assert.equal((await page.call({ method: 'DELETE', path })).body['code'], 'last_owner')
  assert.equal(
    (await page.call({ method: 'PATCH', path, body: { role: 'editor' } })).body['code'],
    'last_owner',
  )
  assert.equal((await page.call({ method: 'PATCH', path, body: { role: 'owner' } })).status, 200)
})

const remove = async (page: Page, id: string) => page.call({ method: 'DELETE', path: `${PATH}/${id}` })

test('of two owners who remove each other at once, one wins and stays', async () => {
  const brand = await server.brand()
  const one = await addMember(server, { brand })
  const two = await addMember(server, { brand })
  const answers = await Promise.all([remove(one.page, two.id), remove(two.page, one.id)])
  const statuses = answers.map(({ status }) => String(status)).toSorted()
  assert.equal(statuses[0], '200')
  assert.ok(['401', '403', '404'].includes(statuses[1] ?? ''), statuses.join(' '))
  const { rows } = await server.deps.database.team.query('select role from memberships where brand_id = $1', [
    brand.brandId,
  ])
  assert.deepEqual(rows, [{ role: 'owner' }])
})

test('an administrator reads and exports the lines of the instance, with filters and pages', async () => {
  const { page, id } = await addMember(server, { brand: await server.brand() })
  const asked = '/api/v1/instance/audit'
  assert.equal((await page.call({ path: asked })).body['code'], 'administrator_only')
  await server.deps.database.team.query('update members set is_administrator = true where id = $1', [id])
  const brandId = `audited.${randomUUID()}`
  assert.equal((await page.post('/api/v1/brands', { brand_id: brandId })).status, 200)
  assert.equal((await page.call({ method: 'DELETE', path: `/api/v1/brands/${brandId}` })).status, 200)
  const path = `${asked}?actor=member:${id}&subject_type=brand`
  const first = await page.call({ path: `${path}&limit=1` })
  const next = await page.call({ path: `${path}&limit=1&cursor=${String(first.body['next_cursor'])}` })
  const actions = [first, next].map(({ body }) => String(Object(body['audit'])[0].action))
  assert.deepEqual(actions, ['deleted', 'created'])
  const csv = await page.call({ path: `${asked}/export?actor=member:${id}&subject_type=brand&format=csv` })
  assert.equal(csv.text.trim().split('\r\n').length, 3)
  const made = await page.call({ path: `${asked}?subject_type=member&subject_id=${id}` })
  assert.equal(Object(made.body['audit'])[0].after.is_administrator, true)
})
