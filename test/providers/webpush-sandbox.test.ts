import assert from 'node:assert/strict'
import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { signJwt } from '../../src/providers/jwt.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { NOW, openBench, poolFor } from './support.ts'

const NOW_SECONDS = NOW / 1000

async function openCaller(t: TestContext) {
  const { sandbox, transport } = await openBench(t)
  const { origin } = sandbox.servers.web
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keyPair = createECDH('prime256v1')
  keyPair.setPrivateKey(Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url'))
  const publicKey = keyPair.getPublicKey('base64url')
  const vapid = (change: object = {}, key = publicKey): string => {
    const claims = { aud: origin, exp: NOW_SECONDS + 3600, sub: 'mailto:a@b.example', ...change }
    const token = signJwt({ header: { alg: 'ES256' }, claims, key: privateKey })
    return `vapid t=${token}, k=${key}`
  }
  const subscription = sandbox.web.newSubscription(publicKey)
  const { pathname } = new URL(subscription.endpoint)
  async function call({ path = pathname, body = '', ...headers }: Attempt): Promise<string> {
    const good = { ttl: '60', authorization: vapid(), ...headers }
    const kept = Object.entries(good).filter(([, value]) => value !== '')
    const route = { origin, partition: '' }
    const answer = await transport.send({ route, path, body, headers: Object.fromEntries(kept) })
    assert.ok(answer.kind === 'answered')
    return answer.status === 201 ? '201' : `${answer.status} ${String(JSON.parse(answer.body).errno)}`
  }
  return { call, vapid, sandbox, subscription }
}

type Attempt = { readonly path?: string; readonly body?: string } & Readonly<Record<string, string>>

test('the web sandbox answers each mistake as Mozilla does', async (t) => {
  const { call } = await openCaller(t)
  const encrypted = { 'content-encoding': 'aes128gcm' }
  const mistakes: readonly [Attempt, string][] = [
    [{}, '201'],
    [{ ttl: '' }, '400 111'],
    [{ ttl: '-1' }, '400 112'],
    [{ ttl: 'soon' }, '400 112'],
    [{ topic: 'x'.repeat(32) }, '201'],
    [{ topic: 'x'.repeat(33) }, '400 113'],
    [{ topic: 'a b' }, '400 113'],
    [{ urgency: 'very-low' }, '201'],
    [{ urgency: 'loud' }, '400 111'],
    [{ body: 'plain' }, '400 110'],
    [{ body: 'x'.repeat(4096), ...encrypted }, '201'],
    [{ body: 'x'.repeat(4097), ...encrypted }, '413 104'],
    [{ path: '/wpush/v2/nobody' }, '404 102'],
    [{ path: '/elsewhere' }, '404 102'],
  ]
  for (const [attempt, expected] of mistakes) {
    assert.equal(await call(attempt), expected, JSON.stringify(attempt).slice(0, 80))
  }
})

test('the web sandbox refuses every VAPID token that is not right', async (t) => {
  const { call, vapid } = await openCaller(t)
  const stranger = createECDH('prime256v1').generateKeys('base64url')
  const bad = [
    '',
    'WebPush abc',
    'vapid t=abc',
    vapid({ aud: 'https://elsewhere.example' }),
    vapid({ exp: NOW_SECONDS - 1 }),
    vapid({ exp: NOW_SECONDS + 24 * 3600 + 60 }),
    vapid({ sub: 'somebody' }),
    vapid({}, stranger),
    vapid({}, randomBytes(65).toString('base64url')),
  ]
  for (const authorization of bad)
    assert.equal(await call({ authorization }), '401 109', authorization.slice(-120))
  assert.equal(await call({ authorization: vapid({ exp: NOW_SECONDS + 24 * 3600 }) }), '201')
})

test('what cannot be decrypted is taken, and nobody reads it', async (t) => {
  const { call, sandbox } = await openCaller(t)
  assert.equal(await call({ body: 'x'.repeat(200), 'content-encoding': 'aes128gcm' }), '201')
  assert.equal(sandbox.inbox.newest()[0]?.payload, null)
})

test('with the same seed, a subscription outlives a restart of the sandbox; with another it is unknown', async () => {
  const seed = randomBytes(32)
  const first = await startSandbox({ seed })
  const { endpoint } = first.web.newSubscription()
  await first.close()
  const { origin, pathname: path, port } = new URL(endpoint)
  async function statusAfterRestart(nextSeed: Buffer): Promise<number> {
    const sandbox = await startSandbox({ seed: nextSeed, ports: { web: Number(port) } })
    const pool = poolFor([origin], sandbox.certificate, {})
    const answer = await pool.send({
      route: { origin, partition: '' },
      path,
      headers: { ttl: '1' },
      body: '',
    })
    await pool.close()
    await sandbox.close()
    return answer.kind === 'answered' ? answer.status : 0
  }
  assert.equal(await statusAfterRestart(seed), 401)
  assert.equal(await statusAfterRestart(randomBytes(32)), 404)
})

test('the inbox keeps the newest arrivals and counts them all', async (t) => {
  const sandbox = await startSandbox({ arrivalsMax: 10 })
  t.after(async () => sandbox.close())
  for (let index = 0; index < 35; index += 1) {
    sandbox.inbox.add({
      platform: index % 2 === 0 ? 'ios' : 'web',
      address: `device-${index}`,
      arrivedAt: NOW,
      collapseId: null,
      headers: {},
      payload: index,
    })
  }
  assert.equal(sandbox.inbox.total, 35)
  assert.deepEqual(
    sandbox.inbox.newest().map(({ payload }) => payload),
    [25, 26, 27, 28, 29, 30, 31, 32, 33, 34],
  )
})
