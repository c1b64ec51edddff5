import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { TOPIC_LIMITS } from '../../src/rules/topics.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const ORIGIN = 'https://shop.example'
const DAY_MS = 86_400_000

let now = Date.now()
const server = await startServer({ deps: { clock: { now: () => now } } })
after(server.close)

/** A brand with a page, and the calls of that page. */
async function place() {
  const brand = await server.brand()
  const ask = async (path: string, body: object, method = 'POST'): Promise<Answer> =>
    call(server.port, { path, headers: keyHeaders(brand), method, body })
  await ask('/api/v1/brand', { allowed_origins: [ORIGIN] }, 'PATCH')
  await ask('/api/v1/topics', { name: 'offers', title: 'Offers' })
  const onPage = async (path: string, body?: object): Promise<Answer> =>
    call(server.port, {
      path: `/api/v1/visitors${path}?key=${brand.publishableKey}`,
      method: 'POST',
      headers: { origin: ORIGIN },
      ...(body === undefined ? {} : { body }),
    })
  const opened = await onPage('')
  const visitor = String(Object(opened.body['visitor'])['token'])
  return { ask, onPage, visitor }
}

const refusalOf = ({ status, body }: Answer): readonly unknown[] => [status, body['code']]
const optOutsIn = ({ body }: Answer): unknown => Object(body['preferences'])['opt_outs']

test('a visitor token reads and changes the preferences of its own visitor, once there is one', async () => {
  const { onPage, visitor } = await place()
  assert.deepEqual(refusalOf(await onPage('/preferences', { visitor })), [404, 'profile_not_found'])
  await onPage('/commands', { visitor, commands: [{ do: 'user' }] })
  assert.deepEqual(optOutsIn(await onPage('/preferences', { visitor })), [])
  assert.deepEqual(optOutsIn(await onPage('/preferences', { visitor, opt_outs: ['offers'] })), ['offers'])
  assert.deepEqual(optOutsIn(await onPage('/preferences', { visitor })), ['offers'])
})

test('a page cannot name another person, and an unproved login does not lead to their preferences', async () => {
  const { ask, onPage, visitor } = await place()
  await ask('/api/v1/user/create', { nv: [{ userID: 'ann' }] })
  await ask('/api/v1/user/preferences', { userID: 'ann', opt_outs: ['offers'] }, 'PUT')
  await onPage('/commands', { visitor, commands: [{ do: 'user', userID: 'ann' }] })
  for (const name of [{}, { userID: 'ann' }]) {
    assert.deepEqual(optOutsIn(await onPage('/preferences', { visitor, ...name })), [])
  }
})

test('403 for a token of another brand, a forged one and an old one; 400 for too long a list', async () => {
  const { onPage, visitor } = await place()
  const other = await place()
  for (const token of [other.visitor, forged(visitor), 'x']) {
    const refused = refusalOf(await onPage('/preferences', { visitor: token }))
    assert.deepEqual(refused, [403, 'visitor_invalid'])
  }
  const many = Array.from({ length: TOPIC_LIMITS.topicsMax + 2 }, () => 'offers')
  assert.equal((await onPage('/preferences', { visitor, opt_outs: many })).status, 400)
  const made = now
  now = made + 5_000 * DAY_MS
  assert.deepEqual(refusalOf(await onPage('/preferences', { visitor })), [403, 'visitor_expired'])
  now = made
})

/** The token with another character in its signature; the last one may differ without a change of the bytes. */
function forged(token: string): string {
  return `${token.slice(0, -6)}${token.at(-6) === 'A' ? 'B' : 'A'}${token.slice(-5)}`
}
