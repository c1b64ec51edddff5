import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { test } from 'node:test'
import { signJwt } from '../../src/providers/jwt.ts'
import { TOKEN_PATH } from '../../src/sandbox/fcm/fcm-sandbox.ts'
import { NOW, openBench } from './support.ts'

const NOW_SECONDS = NOW / 1000
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

test('the token endpoint answers each mistake as Google does', async (t) => {
  const { sandbox, transport } = await openBench(t)
  const { origin } = sandbox.servers.fcm
  const credential = sandbox.fcm.newCredential()
  const stranger = sandbox.fcm.newCredential()
  const good = {
    iss: credential.clientEmail,
    scope: 'https://www.googleapis.com/auth/firebase.messaging',
    aud: `${origin}${TOKEN_PATH}`,
    iat: NOW_SECONDS,
    exp: NOW_SECONDS + 3600,
  }
  async function ask(
    change: object,
    { pem = credential.privateKeyPem, grant = GRANT_TYPE } = {},
  ): Promise<string> {
    const assertion = signJwt({
      header: { alg: 'RS256' },
      claims: { ...good, ...change },
      key: createPrivateKey(pem),
    })
    const body = new URLSearchParams({ grant_type: grant, assertion }).toString()
    const route = { origin, partition: '' }
    const answer = await transport.send({ route, path: TOKEN_PATH, headers: {}, body })
    assert.ok(answer.kind === 'answered')
    return `${answer.status} ${String(JSON.parse(answer.body).error ?? 'ok')}`
  }
  assert.equal(await ask({}), '200 ok')
  assert.equal(await ask({}, { grant: 'password' }), '400 unsupported_grant_type')
  assert.equal(await ask({}, { pem: stranger.privateKeyPem }), '400 invalid_grant')
  assert.equal(await ask({ iss: 'nobody@nowhere.example' }), '400 invalid_grant')
  assert.equal(await ask({ aud: 'https://elsewhere.example' }), '400 invalid_grant')
  assert.equal(await ask({ exp: NOW_SECONDS + 3601 }), '400 invalid_grant')
  assert.equal(await ask({ iat: NOW_SECONDS - 3601, exp: NOW_SECONDS - 1 }), '400 invalid_grant')
  assert.equal(await ask({ scope: 'https://www.googleapis.com/auth/drive' }), '400 invalid_scope')
})

test('messages:send answers each mistake as Google does', async (t) => {
  const { sandbox, transport, clock } = await openBench(t)
  const { origin } = sandbox.servers.fcm
  const { projectId, clientEmail, privateKeyPem } = sandbox.fcm.newCredential()
  const route = { origin, partition: '' }
  const claims = {
    iss: clientEmail,
    scope: 'https://www.googleapis.com/auth/firebase.messaging',
    aud: `${origin}${TOKEN_PATH}`,
    iat: NOW_SECONDS,
    exp: NOW_SECONDS + 3600,
  }
  const assertion = signJwt({ header: { alg: 'RS256' }, claims, key: createPrivateKey(privateKeyPem) })
  const form = new URLSearchParams({ grant_type: GRANT_TYPE, assertion }).toString()
  const granted = await transport.send({ route, path: TOKEN_PATH, headers: {}, body: form })
  assert.ok(granted.kind === 'answered')
  const authorization = `Bearer ${String(JSON.parse(granted.body).access_token)}`
  const token = sandbox.fcm.newToken()

  async function ask(
    message: unknown,
    { path = `/v1/projects/${projectId}/messages:send`, headers = {} } = {},
  ) {
    const body = JSON.stringify(message)
    const answer = await transport.send({ route, path, headers: { authorization, ...headers }, body })
    assert.ok(answer.kind === 'answered')
    const { error } = JSON.parse(answer.body)
    return `${answer.status} ${String(error?.details?.[0]?.errorCode ?? error?.status ?? 'ok')}`
  }
  const data = (value: unknown) => ({ message: { token, data: value } })
  const android = (value: unknown) => ({ message: { token, android: value } })
  assert.equal(await ask(data({ a: 'b' })), '200 ok')
  assert.equal(await ask(android({ ttl: '2419200s', priority: 'HIGH' })), '200 ok')
  for (const bad of [
    'text',
    {},
    { message: {} },
    { message: { token, topic: 'news' } },
    { message: { token: 'short' } },
    data({ a: 1 }),
    data({ from: 'me' }),
    data({ google_x: 'y' }),
    data({ gcm: 'y' }),
    android({ ttl: '2419201s' }),
    android({ ttl: '60' }),
    android({ priority: 'LOUD' }),
    data({ a: 'x'.repeat(4096) }),
  ]) {
    assert.equal(await ask(bad), '400 INVALID_ARGUMENT', JSON.stringify(bad).slice(0, 60))
  }
  assert.equal(await ask(data({}), { headers: { authorization: 'Bearer old' } }), '401 UNAUTHENTICATED')
  assert.equal(await ask(data({}), { path: '/v1/projects/other/messages:send' }), '403 PERMISSION_DENIED')
  assert.equal(await ask(data({}), { path: '/v2/elsewhere' }), '404 NOT_FOUND')
  clock.advance(3_600_000)
  assert.equal(await ask(data({})), '401 UNAUTHENTICATED')
})
