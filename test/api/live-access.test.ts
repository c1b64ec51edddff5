import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Scope } from '../../src/rules/brand.ts'
import { LIVE_LIMITS } from '../../src/rules/live.ts'
import { deleteBrand } from '../../src/store/brand/deletion.ts'
import type { TestBrand } from '../support/database/database.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { openLive, type TestStream, valueIn } from '../support/live/streams.ts'
import { call, keyHeaders, PUBLIC_URL, startServer } from '../support/processes/server.ts'
import { addMember, type Page, type TestMember } from '../support/team/members.ts'
import { until } from '../support/until.ts'

const server = await startServer()
const stop = new AbortController()
const listening = server.deps.database.listenForKeysGone(() => server.server.forgetKeys(), stop.signal)
after(async () => {
  stop.abort()
  await listening
  await server.close()
})
const { port } = server

async function keyWith(brand: TestBrand, scopes: readonly Scope[]) {
  const body = { kind: 'secret', scopes }
  const answer = await call(port, { path: '/api/v1/brand/keys', headers: keyHeaders(brand), body })
  const key = Object(answer.body['key'])
  return { id: String(key['id']), headers: { authorization: `Bearer ${String(key['api_key'])}` } }
}

/** The stream of a page, as `EventSource` opens it: the cookie, and no headers of ours. */
async function openPage(page: Page, brand: TestBrand, subjects: string, more = {}): Promise<TestStream> {
  const cookie = [...page.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { cookie, 'sec-fetch-site': 'same-origin', ...more }
  return openLive(port, { subjects, headers, query: `&brand=${brand.externalId}` })
}

async function closedFor({ stream, reason }: { readonly stream: TestStream; readonly reason: string }) {
  const { data } = await stream.named('closed')
  assert.equal(data['reason'], reason)
  await stream.ended
}

test('a revoked key closes its streams, and no other', async () => {
  const brand = await server.brand()
  const { id, headers } = await keyWith(brand, ['push:read'])
  const [stream, other] = [
    await openLive(port, { subjects: 'overview', headers }),
    await openLive(port, { subjects: 'overview', headers: keyHeaders(brand) }),
  ]
  await stream.named('overview')
  await call(port, { method: 'POST', path: `/api/v1/brand/keys/${id}/revoke`, headers: keyHeaders(brand) })
  await closedFor({ stream, reason: 'unauthenticated' })
  const seen = other.events.length
  await until(() => other.events.length > seen, { what: 'news on the other stream' })
  other.close()
  assert.equal((await openLive(port, { subjects: 'overview', headers })).status, 401)
})

test('a deleted brand closes its streams', async () => {
  const brand = await server.brand()
  const stream = await openLive(port, { subjects: 'events,overview', headers: keyHeaders(brand) })
  await stream.named('listening')
  await deleteBrand(server.deps.database, brand.externalId)
  await closedFor({ stream, reason: 'unauthenticated' })
})

test('a process that missed the notice closes the stream of a revoked key all the same', async () => {
  const deaf = await startServer()
  after(deaf.close)
  const brand = await deaf.brand()
  const stream = await openLive(deaf.port, { subjects: 'overview', headers: keyHeaders(brand) })
  await stream.named('overview')
  await deaf.asOwner(`update api_keys set revoked_at = now() where brand_id = ${brand.brandId}`)
  await closedFor({ stream, reason: 'unauthenticated' })
})

test('a member’s stream names its brand in the query, and ends with the session, the membership or the role', async () => {
  const brand = await server.brand()
  const { page: owner } = await addMember(server, { brand })
  const members = '/api/v1/team/members'
  const endings: Readonly<Record<string, (member: TestMember) => Promise<unknown>>> = {
    unauthenticated: async ({ page }) => page.post('/auth/sign-out'),
    'unauthenticated, removed': async ({ id }) => owner.call({ method: 'DELETE', path: `${members}/${id}` }),
    scope_missing: async ({ id }) =>
      owner.call({ method: 'PATCH', path: `${members}/${id}`, body: { role: 'developer' } }),
  }
  for (const [reason, end] of Object.entries(endings)) {
    const member = await addMember(server, { brand, role: 'analyst' })
    const journey = await call(port, {
      path: '/api/v1/campaigns',
      headers: keyHeaders(brand),
      body: { name: 'Teas', audience: { everyone: true }, content: { title: 'T', message: 'M' } },
    })
    const id = String(Object(journey.body['campaign'])['campaign_id'])
    const stream = await openPage(member.page, brand, `campaign:${id}`)
    await stream.named('campaign')
    await end(member)
    await closedFor({ stream, reason: reason.split(',')[0] ?? '' })
  }
})

test('a cookie works from our own pages alone, in a brand of the member, and a key never in the query', async () => {
  const [brand, other] = [await server.brand(), await server.brand()]
  const { page } = await addMember(server, { brand, role: 'analyst' })
  const statusOf = async (of: TestBrand, more = {}): Promise<number> => {
    const stream = await openPage(page, of, 'overview', more)
    stream.close()
    return stream.status
  }
  assert.equal(await statusOf(brand), 200)
  assert.equal(await statusOf(brand, { origin: PUBLIC_URL }), 200)
  assert.equal(await statusOf(brand, { 'sec-fetch-site': 'cross-site' }), 403)
  assert.equal(await statusOf(brand, { origin: 'https://evil.example' }), 403)
  assert.equal(await statusOf(other), 401)
  const query = `&brand=${brand.externalId}&key=${brand.secretKey}`
  assert.equal((await openLive(port, { subjects: 'overview', query })).status, 401)
  // Other endpoints take the brand as a header only.
  const cookie = [...page.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const path = `/api/v1/brand?brand=${brand.externalId}`
  assert.equal((await call(port, { path, headers: { cookie } })).status, 401)
})

test('each subject needs its scope; a caller without one gets its parts of the overview', async () => {
  const brand = await server.brand()
  const cases = [
    ['push:read', 'events', 403],
    ['events:read', 'campaign:1', 403],
    ['events:read', 'events', 200],
    ['journeys:read', 'overview', 403],
    ['approve', 'overview', 403],
  ] as const
  for (const [scope, subjects, status] of cases) {
    const { headers } = await keyWith(brand, [scope])
    const stream = await openLive(port, { subjects, headers })
    assert.equal(stream.status, status, `${scope} ${subjects}`)
    stream.close()
  }
  const { headers } = await keyWith(brand, ['events:read'])
  const stream = await openLive(port, { subjects: 'overview', headers })
  const parts = Object.keys(Object(valueIn(await stream.named('overview'), 'overview')))
  assert.deepEqual(parts.toSorted(), ['events', 'refused', 'type_conflicts'])
  stream.close()
})

test('a developer sees in the tail what is logged, and of whom nothing', async () => {
  const brand = await server.brand()
  const { page } = await addMember(server, { brand, role: 'developer' })
  const stream = await openPage(page, brand, 'events')
  const whole = await openLive(port, { subjects: 'events', headers: keyHeaders(brand) })
  await Promise.all([stream.named('listening'), whole.named('listening')])
  const personal = { userID: 'secret-ann', event_id: 'secret-id', attributes: { plan: 'secret-plan' } }
  await logEntries(port, brand, [entryOf({ ...personal, event_name: 'signup' })])
  const { data } = await stream.named('event')
  assert.doesNotMatch(JSON.stringify(data), /secret/)
  assert.match(JSON.stringify((await whole.named('event')).data), /secret-ann.*secret-plan.*secret-id/)
  assert.equal(valueIn({ event: '', lastId: '', data }, 'event.event_name'), 'signup')
  assert.deepEqual(valueIn({ event: '', lastId: '', data }, 'event.attribute_names'), ['plan'])
  for (const one of [stream, whole]) one.close()
})

test(`a heartbeat of ${LIVE_LIMITS.heartbeatMs} ms is shorter than any silence that closes a connection`, async () => {
  const { SERVER_DEFAULTS } = await import('../../src/http/edge/server-options.ts')
  assert.ok(LIVE_LIMITS.heartbeatMs * 2 < SERVER_DEFAULTS.silenceTimeoutMs)
})
