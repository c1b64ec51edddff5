import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { connect, type OutgoingHttpHeaders } from 'node:http2'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { signJwt } from '../../src/providers/jwt.ts'
import { NOW, openBench } from './support.ts'

const NOW_SECONDS = NOW / 1000

/** Requests that no client of ours would make, answered as Apple documents it. */
async function openCaller(t: TestContext) {
  const { sandbox, transport, clock } = await openBench(t)
  const credential = sandbox.apns.newCredential()
  const mint = (claims: Readonly<Record<string, string | number>> = {}): string =>
    signJwt({
      header: { alg: 'ES256', kid: credential.keyId },
      claims: { iss: credential.teamId, iat: NOW_SECONDS, ...claims },
      key: createPrivateKey(credential.keyPem),
    })
  const good = {
    authorization: `bearer ${mint()}`,
    'apns-topic': credential.bundleId,
    'apns-push-type': 'alert',
  }
  async function call({
    path = `/3/device/${sandbox.apns.newToken()}`,
    body = '{"aps":{}}',
    ...headers
  }: Attempt) {
    const route = { origin: sandbox.servers.apns.origin, partition: headers['partition'] ?? '' }
    const kept = Object.entries({ ...good, ...headers }).filter(
      ([name, value]) => name !== 'partition' && value !== '',
    )
    const answer = await transport.send({ route, path, body, headers: Object.fromEntries(kept) })
    assert.ok(answer.kind === 'answered')
    return answer.status === 200 ? '200' : `${answer.status} ${String(JSON.parse(answer.body).reason)}`
  }
  return { call, mint, clock, credential, sandbox }
}

type Attempt = { readonly path?: string; readonly body?: string } & Readonly<Record<string, string>>

const MISTAKES: readonly [Attempt, string][] = [
  [{}, '200'],
  [{ path: '/3/devices/x' }, '404 BadPath'],
  [{ path: '/3/device/' }, '400 MissingDeviceToken'],
  [{ path: '/3/device/xyz' }, '400 BadDeviceToken'],
  [{ authorization: '' }, '403 MissingProviderToken'],
  [{ authorization: 'bearer a.b.c' }, '403 InvalidProviderToken'],
  [{ 'apns-id': 'not-a-uuid' }, '400 BadMessageId'],
  [{ 'apns-id': '123e4567-e89b-12d3-a456-426614174000' }, '200'],
  [{ 'apns-topic': '' }, '400 MissingTopic'],
  [{ 'apns-topic': 'no topic' }, '400 BadTopic'],
  [{ 'apns-topic': 'another.app' }, '400 TopicDisallowed'],
  [{ 'apns-push-type': 'shout' }, '400 InvalidPushType'],
  [{ 'apns-priority': '7' }, '400 BadPriority'],
  [{ 'apns-priority': '10', 'apns-push-type': 'background' }, '400 BadPriority'],
  [{ 'apns-priority': '5', 'apns-push-type': 'background' }, '200'],
  [{ 'apns-expiration': 'tomorrow' }, '400 BadExpirationDate'],
  [{ 'apns-expiration': '0' }, '200'],
  [{ 'apns-collapse-id': 'x'.repeat(64) }, '200'],
  [{ 'apns-collapse-id': 'x'.repeat(65) }, '400 BadCollapseId'],
  [{ body: '' }, '400 PayloadEmpty'],
  [{ body: `{"a":"${'x'.repeat(4096 - 8)}"}` }, '200'],
  [{ body: `{"a":"${'x'.repeat(4096 - 7)}"}` }, '413 PayloadTooLarge'],
  [{ body: `{"a":"${'x'.repeat(5120 - 8)}"}`, 'apns-push-type': 'voip' }, '200'],
  [{ body: `{"a":"${'x'.repeat(5120 - 7)}"}`, 'apns-push-type': 'voip' }, '413 PayloadTooLarge'],
]

test('the APNs sandbox answers each mistake as Apple does', async (t) => {
  const { call } = await openCaller(t)
  for (const [attempt, expected] of MISTAKES)
    assert.equal(await call(attempt), expected, JSON.stringify(attempt))
})

test('the APNs sandbox refuses a token that is too old, from the future, or of another team', async (t) => {
  const { call, mint } = await openCaller(t)
  const withToken = async (claims: Readonly<Record<string, string | number>>) =>
    call({ authorization: `bearer ${mint(claims)}` })
  assert.equal(await withToken({ iat: NOW_SECONDS - 3601 }), '403 ExpiredProviderToken')
  assert.equal(await withToken({ iat: NOW_SECONDS + 600 }), '403 ExpiredProviderToken')
  assert.equal(await withToken({ iss: 'OTHERTEAM1' }), '403 InvalidProviderToken')
  assert.equal(await withToken({ iat: NOW_SECONDS - 3599 }), '200')
})

test('the APNs sandbox bans a connection whose sender mints within 20 minutes, and only that one', async (t) => {
  const { call, mint, clock } = await openCaller(t)
  assert.equal(await call({}), '200')
  clock.advance(19 * 60_000)
  const early = `bearer ${mint({ iat: NOW_SECONDS + 19 * 60 })}`
  assert.equal(await call({ authorization: early }), '429 TooManyProviderTokenUpdates')
  assert.equal(await call({}), '429 TooManyProviderTokenUpdates')
  assert.equal(await call({ partition: 'new connection' }), '200')
  clock.advance(60_000)
  assert.equal(await call({ authorization: early, partition: 'new connection' }), '200')
})

test('the APNs sandbox takes one team per connection', async (t) => {
  const { call, sandbox } = await openCaller(t)
  const other = sandbox.apns.newCredential()
  const token = signJwt({
    header: { alg: 'ES256', kid: other.keyId },
    claims: { iss: other.teamId, iat: NOW_SECONDS },
    key: createPrivateKey(other.keyPem),
  })
  assert.equal(await call({}), '200')
  assert.equal(await call({ authorization: `bearer ${token}` }), '403 InvalidProviderToken')
  assert.equal(await call({ authorization: `bearer ${token}`, partition: 'own' }), '200')
})

test('the APNs sandbox refuses another method, and a header that came twice', async (t) => {
  const { sandbox } = await openBench(t)
  const session = connect(sandbox.servers.apns.origin, { ca: sandbox.certificate })
  const ask = async (headers: OutgoingHttpHeaders) => text(session.request(headers).end())
  const path = `/3/device/${sandbox.apns.newToken()}`
  assert.equal(await ask({ ':method': 'GET', ':path': path }), '{"reason":"MethodNotAllowed"}')
  const twice = { ':method': 'POST', ':path': path, 'apns-topic': ['a', 'b'] }
  assert.equal(await ask(twice), '{"reason":"DuplicateHeaders"}')
  session.destroy()
})
