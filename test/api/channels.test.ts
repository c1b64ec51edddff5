import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, test } from 'node:test'
import { pauseChannel } from '../../src/store/push/channels.ts'
import { saveHostReport } from '../../src/store/push/refused-hosts.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

const server = await startServer()
after(server.close)

const RSA_PEM = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
})
const P256_PEM = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
})

const ANDROID = {
  service_account: {
    type: 'service_account',
    project_id: 'my-app',
    private_key_id: 'abc',
    private_key: RSA_PEM,
    client_email: 'push@my-app.iam.gserviceaccount.com',
  },
}
const IOS = { key_p8: P256_PEM, key_id: 'ABCDE12345', team_id: 'TEAM123456', bundle_id: 'com.example.app' }
const PATH = '/api/v1/brand/channels'

test('200: a credential is set and read back without its secret', async () => {
  const headers = keyHeaders(await server.brand())
  const android = await call(server.port, { method: 'PUT', path: `${PATH}/android`, headers, body: ANDROID })
  assert.equal(android.status, 200, android.text)
  const ios = await call(server.port, { method: 'PUT', path: `${PATH}/ios`, headers, body: IOS })
  assert.equal(ios.status, 200, ios.text)
  const list = await call(server.port, { path: PATH, headers })
  for (const { text } of [android, ios, list]) assert.doesNotMatch(text, /PRIVATE KEY/)
  assert.partialDeepStrictEqual(list.body, {
    channels: [
      { platform: 'android', credentials: 'own', project_id: 'my-app', health: { state: 'ok' } },
      { platform: 'ios', credentials: 'own', key_id: 'ABCDE12345', environment: 'production' },
      { platform: 'web', credentials: 'none' },
    ],
  })
  assert.equal(android.body['warnings'], undefined)
})

test('400: a key of the wrong kind, a missing field, a malformed id', async () => {
  const headers = keyHeaders(await server.brand())
  const put = async (path: string, body: object) =>
    (await call(server.port, { method: 'PUT', path: `${PATH}/${path}`, headers, body })).body['errors']
  const swapped = { service_account: { ...ANDROID.service_account, private_key: P256_PEM } }
  assert.partialDeepStrictEqual(await put('android', swapped), [
    { field: 'service_account.private_key', code: 'field_invalid' },
  ])
  assert.partialDeepStrictEqual(await put('ios', { ...IOS, key_p8: RSA_PEM }), [{ field: 'key_p8' }])
  assert.partialDeepStrictEqual(await put('ios', { ...IOS, key_id: 'short' }), [{ field: 'key_id' }])
  assert.partialDeepStrictEqual(await put('android', {}), [
    { field: 'service_account', code: 'field_missing' },
  ])
})

test('200: a brand has a VAPID key from the first time it asks, and always the same', async () => {
  const brand = await server.brand()
  const headers = keyHeaders(brand)
  const answers = await Promise.all(
    Array.from({ length: 4 }, async () => call(server.port, { path: '/api/v1/web-push-key', headers })),
  )
  const keys = new Set(answers.map(({ body }) => body['public_key']))
  assert.equal(keys.size, 1)
})

test('200: rotating keeps the old VAPID key, and an imported pair must match', async () => {
  const headers = keyHeaders(await server.brand())
  const path = `${PATH}/web`
  const first = await call(server.port, { path, headers })
  const rotated = await call(server.port, { method: 'PUT', path, headers, body: { rotate: true } })
  assert.partialDeepStrictEqual(rotated.body, {
    channel: { old_public_keys: [keyOf(first.body)] },
  })
  assert.notEqual(keyOf(rotated.body), keyOf(first.body))
  const pair = {
    public_key: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
    private_key: '6vVeRvdqDzUV8n3DUU0sf3IwrFvVVk-DDFUlsOfBGqc',
  }
  const mixed = { ...pair, public_key: keyOf(first.body) }
  assert.equal((await call(server.port, { method: 'PUT', path, headers, body: mixed })).status, 400)
  const unreachable = await call(server.port, {
    method: 'PUT',
    path,
    headers,
    body: { subject: 'mailto:me@localhost' },
  })
  assert.equal(unreachable.status, 400)
})

test('200: a paused channel says why and since when, and new credentials mend it', async () => {
  const brand = await server.brand()
  const headers = keyHeaders(brand)
  const path = `${PATH}/ios`
  await call(server.port, { method: 'PUT', path, headers, body: IOS })
  const pause = { brandId: brand.brandId, platform: 'ios', version: 1, pauseMs: 60_000 } as const
  await pauseChannel(server.deps.database, { ...pause, reason: 'InvalidProviderToken' })
  const paused = await call(server.port, { path, headers })
  assert.partialDeepStrictEqual(paused.body, {
    channel: { health: { state: 'paused', reason: 'InvalidProviderToken' } },
  })
  const ready = await call(server.port, { path: '/readyz' })
  assert.equal(ready.status, 200)
  assert.match(ready.text, /1 paused/)
  const mended = await call(server.port, { method: 'PUT', path, headers, body: IOS })
  assert.partialDeepStrictEqual(mended.body, { channel: { health: { state: 'ok', reason: null } } })
  const removed = await call(server.port, { method: 'DELETE', path, headers })
  assert.partialDeepStrictEqual(removed.body, { channel: { credentials: 'sandbox' } })
})

test('200: a push service that turns the brand away is named, until there are new credentials', async () => {
  const brand = await server.brand()
  const headers = keyHeaders(brand)
  const path = `${PATH}/web`
  await call(server.port, { path, headers })
  const { brandId } = brand
  const report = { refused: [{ host: 'push.example', reason: 'http_403' }], accepted: [] }
  await saveHostReport(server.deps.database, {
    brandId,
    platform: 'web',
    version: 1,
    report,
    now: Date.now(),
  })
  const partial = await call(server.port, { path, headers })
  assert.partialDeepStrictEqual(partial.body, {
    channel: {
      health: {
        state: 'partial',
        reason: 'hosts_refuse',
        refused_hosts: [{ host: 'push.example', reason: 'http_403' }],
      },
    },
  })
  assert.match(
    partial.text,
    /"advice":"The push services in refused_hosts do not accept messages of this brand/,
  )
  const mended = await call(server.port, { method: 'PUT', path, headers, body: { rotate: true } })
  assert.partialDeepStrictEqual(mended.body, { channel: { health: { state: 'ok', refused_hosts: [] } } })
})

test('403: a publishable key cannot see or set channels', async () => {
  const brand = await server.brand()
  const headers = { 'x-api-key': brand.publishableKey, 'x-brand-id': brand.externalId }
  assert.equal((await call(server.port, { path: PATH, headers })).status, 403)
})

test('200: without credentials a channel says what stands in for them, or that nothing can be sent', async (context) => {
  const bare = await startServer({ hasSandbox: false })
  context.after(bare.close)
  const shown = async ({ port, brand }: typeof bare) =>
    (await call(port, { path: `${PATH}/android`, headers: keyHeaders(await brand()) })).body['channel']
  assert.partialDeepStrictEqual(await shown(server), { credentials: 'sandbox', health: { state: 'ok' } })
  assert.partialDeepStrictEqual(await shown(bare), {
    credentials: 'none',
    health: { state: 'unable', reason: 'no_credentials' },
  })
  assert.match(
    JSON.stringify(await shown(bare)),
    /Set the credentials with PUT \/api\/v1\/brand\/channels\/android\./,
  )
})

test('200: a push that can only fail is accepted with a warning, until there are credentials', async (context) => {
  const bare = await startServer({ hasSandbox: false })
  context.after(bare.close)
  const brand = await bare.brand()
  const headers = keyHeaders(brand)
  await seedSubscriptions(bare.deps.database, { brandId: brand.brandId, userId: 'ann' })
  const warned = async (mode: string, more: object) => {
    const body = { title: 'Hello', message: 'there', ...more }
    const reply = await call(bare.port, { path: `/api/v1/android/${mode}`, headers, body })
    assert.equal(reply.status, 200, reply.text)
    return reply.body['warnings']
  }
  const expected = [{ field: 'platform', code: 'no_credentials' }]
  assert.partialDeepStrictEqual(await warned('send', { user_id: 'ann' }), expected)
  assert.partialDeepStrictEqual(await warned('send', { user_id: 'ann', dry_run: true }), expected)
  assert.partialDeepStrictEqual(await warned('broadcast/all', { time: 60 }), expected)
  await call(bare.port, { method: 'PUT', path: `${PATH}/android`, headers, body: ANDROID })
  await until(async () => (await warned('send', { user_id: 'ann' })) === undefined, {
    what: 'the warning is gone',
  })
})

test('404: a test send without credentials or sandbox', async () => {
  const headers = keyHeaders(await server.brand())
  const tested = await call(server.port, {
    path: `${PATH}/ios/test`,
    headers,
    body: { subscription_id: 's1' },
  })
  assert.deepEqual([tested.status, tested.body['code']], [404, 'channel_missing'])
})

function keyOf(body: Readonly<Record<string, unknown>>): unknown {
  const { channel } = body
  return typeof channel === 'object' && channel !== null && 'public_key' in channel && channel.public_key
}
