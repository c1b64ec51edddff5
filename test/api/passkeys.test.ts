import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { removeMember } from '../../src/intake/team/members.ts'
import { PUBLIC_URL, startServer } from '../support/processes/server.ts'
import { Authenticator } from '../support/team/authenticator.ts'
import { addMember, Page, type TestMember } from '../support/team/members.ts'

const server = await startServer()
after(server.close)
const brand = await server.brand()
const origin = PUBLIC_URL

async function addPasskey({ page }: TestMember): Promise<Authenticator> {
  const device = new Authenticator()
  const { body } = await page.post('/auth/passkeys/options')
  const response = device.create({ options: body['options'], origin })
  const added = await page.post('/auth/passkeys', { name: 'phone', response })
  assert.equal(added.status, 200, added.text)
  return device
}

async function offer(page: Page): Promise<unknown> {
  return (await page.post('/auth/sign-in/passkey/options')).body['options']
}

test('a passkey signs its member in, without a password', async () => {
  const member = await addMember(server, { brand })
  const device = await addPasskey(member)
  const page = new Page(server, brand)
  const response = device.sign({ options: await offer(page), origin })
  assert.equal((await page.post('/auth/sign-in/passkey', { response })).status, 200)
  const { body } = await page.call({ path: '/api/v1/me' })
  assert.equal(Object(body['member']).email, member.email)
  assert.equal((await page.call({ path: '/api/v1/brand' })).status, 200)
})

test('a passkey opens the brands of its member, whatever brand the page names', async () => {
  const other = await server.brand()
  const member = await addMember(server, { brand })
  const device = await addPasskey(member)
  const page = new Page(server, other)
  const response = device.sign({ options: await offer(page), origin })
  assert.equal((await page.post('/auth/sign-in/passkey', { response })).status, 200)
  const { status, body } = await page.call({ path: '/api/v1/brand' })
  assert.deepEqual([status, body['code']], [401, 'unauthenticated'])
  assert.equal((await page.post('/api/v1/topics', { name: 'news', title: 'News' })).status, 401)
  const own = { 'x-brand-id': brand.externalId }
  assert.equal((await page.call({ path: '/api/v1/brand', headers: own })).status, 200)
  const { member: me } = (await page.call({ path: '/api/v1/me' })).body
  assert.deepEqual(
    Object(me).brands.map((row: object) => Object(row).brand_id),
    [brand.externalId],
  )
})

test('the challenge names nobody, and a proof works once', async () => {
  const member = await addMember(server, { brand })
  const device = await addPasskey(member)
  const page = new Page(server, brand)
  const options = await offer(page)
  assert.deepEqual(Object(options).allowCredentials ?? [], [])
  const signed = await (await member.page.post('/auth/sign-in/passkey/options')).body['options']
  assert.deepEqual(Object(signed).allowCredentials ?? [], [])
  const response = device.sign({ options, origin })
  const cookies = new Map(page.cookies)
  assert.equal((await page.post('/auth/sign-in/passkey', { response })).status, 200)
  const thief = new Page(server, brand)
  for (const [name, value] of cookies) thief.cookies.set(name, value)
  assert.equal((await thief.post('/auth/sign-in/passkey', { response })).body['code'], 'passkey_refused')
})

test('401 for a passkey of another origin, of another site, of nobody, or without its user', async () => {
  const member = await addMember(server, { brand })
  const device = await addPasskey(member)
  const refused = async (make: (options: unknown) => object): Promise<unknown> => {
    const page = new Page(server, brand)
    const answer = await page.post('/auth/sign-in/passkey', { response: make(await offer(page)) })
    assert.equal(answer.status, 401)
    assert.equal((await page.call({ path: '/api/v1/me' })).status, 401)
    return answer.body['code']
  }
  const wrong = [
    await refused((options) => device.sign({ options, origin: 'https://evil.example' })),
    await refused((options) =>
      device.sign({ options: { ...Object(options), rpId: 'evil.example' }, origin }),
    ),
    await refused((options) => device.sign({ options: { ...Object(options), challenge: 'AAAA' }, origin })),
    await refused((options) => device.sign({ options, origin, verifiesUser: false })),
    await refused((options) => new Authenticator().sign({ options, origin })),
  ]
  assert.deepEqual([...new Set(wrong)], ['passkey_refused'])
})

test('the proof of another device does not sign a member in under their id', async () => {
  const member = await addMember(server, { brand })
  const device = await addPasskey(member)
  const page = new Page(server, brand)
  const id = device.id.toString('base64url')
  const forged = { ...new Authenticator().sign({ options: await offer(page), origin }), id, rawId: id }
  assert.equal(
    (await page.post('/auth/sign-in/passkey', { response: forged })).body['code'],
    'passkey_refused',
  )
})

test('a challenge of one member adds no passkey to another, nor one without its user', async () => {
  const one = await addMember(server, { brand })
  const two = await addMember(server, { brand })
  const { body } = await one.page.post('/auth/passkeys/options')
  for (const [name, value] of one.page.cookies)
    if (name.includes('passkey')) two.page.cookies.set(name, value)
  const response = new Authenticator().create({ options: body['options'], origin })
  assert.equal((await two.page.post('/auth/passkeys', { response })).body['code'], 'passkey_refused')
  const again = await one.page.post('/auth/passkeys/options')
  const unproved = new Authenticator().create({ options: again.body['options'], origin, verifiesUser: false })
  assert.equal((await one.page.post('/auth/passkeys', { response: unproved })).status, 401)
})

test('the passkey of a removed member, and one that was removed, sign nobody in', async () => {
  const member = await addMember(server, { brand, role: 'editor' })
  const device = await addPasskey(member)
  const dropped = await addPasskey(member)
  const { body } = await member.page.call({ path: '/auth/passkeys' })
  const passkeys: readonly unknown[] = Array.isArray(body['passkeys']) ? body['passkeys'] : []
  assert.equal(passkeys.length, 2)
  const path = `/auth/passkeys/${String(Object(passkeys.at(-1)).id)}`
  assert.equal((await member.page.call({ method: 'DELETE', path })).status, 200)
  const page = new Page(server, brand)
  const gone = dropped.sign({ options: await offer(page), origin })
  assert.equal((await page.post('/auth/sign-in/passkey', { response: gone })).status, 401)
  const { database } = server.deps
  await removeMember(database, { brandId: brand.brandId, memberId: member.id, byMemberId: null })
  const response = device.sign({ options: await offer(page), origin })
  assert.equal((await page.post('/auth/sign-in/passkey', { response })).status, 401)
})

test('a passkey that was made for another address is refused', async () => {
  const { page } = await addMember(server, { brand })
  const { body } = await page.post('/auth/passkeys/options')
  const response = new Authenticator().create({
    options: body['options'],
    origin: 'https://elsewhere.example',
  })
  const refused = await page.post('/auth/passkeys', { name: 'phone', response })
  assert.equal(refused.body['code'], 'passkey_refused', refused.text)
})
