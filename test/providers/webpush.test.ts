import assert from 'node:assert/strict'
import { createECDH } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { MessageContent } from '../../src/providers/channel.ts'
import type { VapidKey, WebPushCredential } from '../../src/providers/webpush/auth.ts'
import { type WebPushAddress, WebPushChannel } from '../../src/providers/webpush/client.ts'
import { EncryptPool } from '../../src/providers/webpush/encrypt-pool.ts'
import { PLATFORMS } from '../../src/rules/platforms.ts'
import type { WebSubscription } from '../../src/sandbox/webpush/subscriptions.ts'
import { CONTENT, openBench, recipientOf, until } from './support.ts'

function newVapidKey(): VapidKey {
  const keyPair = createECDH('prime256v1')
  return { publicKey: keyPair.generateKeys('base64url'), privateKey: keyPair.getPrivateKey('base64url') }
}

async function openChannel(t: TestContext, change: Partial<WebPushCredential> = {}) {
  const bench = await openBench(t)
  const encryptor = new EncryptPool(1)
  t.after(async () => encryptor.close())
  const key = newVapidKey()
  const credential = { subject: 'mailto:push@shop.example', keys: [key], ...change } as const
  const deps = { ...bench, encryptor }
  const channel = new WebPushChannel(deps, credential)
  return { ...bench, ...bench.sandbox, deps, key, channel }
}

function addressOf(subscription: WebSubscription, change: Partial<WebPushAddress> = {}): WebPushAddress {
  const { endpoint, keys } = subscription
  return { endpoint, ...keys, family: null, vapidKey: null, ...change }
}

async function sendTo(
  channel: WebPushChannel,
  address: WebPushAddress,
  change: Partial<MessageContent> = {},
) {
  return channel.prepare({ ...CONTENT, ...change }).send(recipientOf(address))
}

test('a browser reads what was sent, and the service sees its headers', async (t) => {
  const { channel, web, inbox, key } = await openChannel(t)
  const address = addressOf(web.newSubscription(key.publicKey))
  const recipient = { address, deliveryId: 'd1', collapseId: 'c1', receipt: 'r1' }
  const content = { ...CONTENT, title: 'Grüße 🎉', data: { colour: 'red' }, badge: 1 }
  assert.deepEqual(await channel.prepare(content).send(recipient), { kind: 'accepted' })
  const [arrival] = inbox.newest()
  assert.equal(arrival?.collapseId, 'c1')
  assert.deepEqual(arrival?.headers, { ttl: '3600', urgency: 'high' })
  assert.deepEqual(arrival?.payload, {
    delivery_id: 'd1',
    receipt: 'r1',
    notification_id: '42',
    tag: 'c1',
    title: 'Grüße 🎉',
    message: 'A message',
    url: 'https://shop.example/sale',
    badge: 1,
    data: { colour: 'red' },
  })
})

test('hero image and buttons go to Chromium only', async (t) => {
  const { channel, web, inbox } = await openChannel(t)
  const message = channel.prepare({
    ...CONTENT,
    heroImageUrl: 'https://img.example/hero.png',
    buttons: [{ title: 'Buy', url: 'https://shop.example/buy' }],
  })
  for (const family of ['chromium', 'firefox', 'safari', null] as const) {
    await message.send(recipientOf(addressOf(web.newSubscription(), { family })))
  }
  const shown = inbox.newest().map(({ payload }) => /hero_image_url.*buttons/.test(JSON.stringify(payload)))
  assert.deepEqual(shown, [true, false, false, false])
})

test('a collapse id that is no Topic is replaced by its hash', async (t) => {
  const { channel, web, inbox } = await openChannel(t)
  const address = addressOf(web.newSubscription())
  for (const collapseId of ['x'.repeat(32), 'x'.repeat(33), 'a b']) {
    const verdict = await channel.prepare(CONTENT).send({ ...recipientOf(address), collapseId })
    assert.deepEqual(verdict, { kind: 'accepted' })
  }
  const [longest, tooLong, odd] = inbox.newest().map((arrival) => arrival.collapseId)
  assert.equal(longest, 'x'.repeat(32))
  assert.equal(tooLong?.length, 32)
  assert.equal(odd?.length, 32)
})

test('a plaintext of exactly the limit is accepted as 4096 bytes, and one byte more is not sent', async (t) => {
  const { channel, web, inbox } = await openChannel(t)
  const recipient = recipientOf(addressOf(web.newSubscription()))
  await channel.prepare({ ...CONTENT, body: '' }).send(recipient)
  const emptyBytes = Buffer.byteLength(JSON.stringify(inbox.newest()[0]?.payload))
  const room = PLATFORMS.web.payloadBytesMax - emptyBytes
  const send = async (body: string) => channel.prepare({ ...CONTENT, body }).send(recipient)
  assert.deepEqual(await send('x'.repeat(room)), { kind: 'accepted' })
  assert.deepEqual(await send('x'.repeat(room + 1)), { kind: 'refused', reason: 'payload_too_large' })
  assert.equal(inbox.total, 2)
})

test('a subscription that is gone, or was never there, is gone', async (t) => {
  const { channel, web } = await openChannel(t)
  const gone = web.newSubscription()
  web.unsubscribe(gone.endpoint)
  const verdict = await sendTo(channel, addressOf(gone))
  assert.deepEqual(verdict, { kind: 'gone', reason: 'http_410_errno_106', goneAt: null, isSuspect: false })
  const endpoint = web.newSubscription().endpoint.slice(0, -1)
  const never = await sendTo(channel, addressOf(web.newSubscription(), { endpoint }))
  assert.deepEqual(never, { kind: 'gone', reason: 'http_404_errno_102', goneAt: null, isSuspect: false })
})

test('a subscription made with an old VAPID key is served with that key', async (t) => {
  const [current, old, strange] = [newVapidKey(), newVapidKey(), newVapidKey()]
  const { channel, web } = await openChannel(t, { keys: [current, old] })
  const ofOld = web.newSubscription(old.publicKey)
  const [accepted, mismatch, unknown] = await Promise.all([
    sendTo(channel, addressOf(ofOld, { vapidKey: old.publicKey })),
    sendTo(channel, addressOf(ofOld)),
    sendTo(channel, addressOf(web.newSubscription(strange.publicKey), { vapidKey: strange.publicKey })),
  ])
  assert.deepEqual(accepted, { kind: 'accepted' })
  assert.deepEqual(mismatch, { kind: 'gone', reason: 'vapid_key_mismatch', goneAt: null, isSuspect: true })
  assert.deepEqual(unknown, { kind: 'gone', reason: 'vapid_key_unknown', goneAt: null, isSuspect: true })
})

test('a VAPID token serves for six hours and never expires on the way', async (t) => {
  const { channel, web, clock, deps, servers } = await openChannel(t)
  const seen = new Set<string>()
  const transport = {
    retire: () => undefined,
    close: async () => undefined,
    post: (...[request, onAnswer]: Parameters<typeof deps.transport.post>) => {
      seen.add(request.headers['authorization'] ?? '')
      deps.transport.post(request, onAnswer)
    },
    send: async (request: Parameters<typeof deps.transport.send>[0]) => deps.transport.send(request),
  }
  const watched = new WebPushChannel(
    { ...deps, transport },
    { subject: 'https://shop.example', keys: [newVapidKey()] },
  )
  for (let hour = 0; hour < 24; hour += 1) {
    const verdict = await sendTo(watched, addressOf(web.newSubscription()))
    assert.deepEqual(verdict, { kind: 'accepted' }, `hour ${hour}`)
    clock.advance(3_600_000)
  }
  assert.equal(seen.size, 4)
  assert.equal((await sendTo(channel, addressOf(web.newSubscription()))).kind, 'accepted')
  assert.equal(servers.web.connectionCount, 1)
})

test('a bad VAPID key or subject pauses the channel; a bad subscription key only ends its subscription', async (t) => {
  const broken = { publicKey: newVapidKey().publicKey, privateKey: 'nonsense' }
  const { deps, web } = await openChannel(t)
  const withKey = new WebPushChannel(deps, { subject: 'mailto:a@b.example', keys: [broken] })
  assert.deepEqual(await sendTo(withKey, addressOf(web.newSubscription())), {
    kind: 'paused',
    reason: 'bad_vapid_key',
  })
  const withSubject = new WebPushChannel(deps, { subject: 'us', keys: [newVapidKey()] })
  const paused = await sendTo(withSubject, addressOf(web.newSubscription()))
  assert.deepEqual(paused, { kind: 'paused', reason: 'http_401_errno_109' })
  const good = new WebPushChannel(deps, { subject: 'mailto:a@b.example', keys: [newVapidKey()] })
  const gone = await sendTo(good, addressOf(web.newSubscription(), { p256dh: 'AAAA' }))
  assert.deepEqual(gone, { kind: 'gone', reason: 'bad_subscription_key', goneAt: null, isSuspect: false })
})

test('a GOAWAY in the middle of a broadcast loses none and repeats none', async (t) => {
  const { channel, web, inbox, servers } = await openChannel(t)
  const message = channel.prepare(CONTENT)
  const subscription = web.newSubscription()
  servers.web.queueCalls()
  const sending = Promise.all(
    Array.from({ length: 600 }, async () => message.send(recipientOf(addressOf(subscription)))),
  )
  await until(() => servers.web.queuedCount === 512)
  servers.web.release(100)
  servers.web.goaway('refusing')
  servers.web.release()
  for (const verdict of await sending) assert.deepEqual(verdict, { kind: 'accepted' })
  assert.equal(inbox.total, 600)
  assert.equal(new Set(inbox.newest().map((arrival) => arrival.collapseId)).size, 600)
})

test('a message accepted before the connection broke has an unknown outcome', async (t) => {
  const { channel, web, inbox } = await openChannel(t)
  const subscription = web.newSubscription()
  web.faults.add(subscription.endpoint, { kind: 'accept_then_drop' })
  assert.deepEqual(await sendTo(channel, addressOf(subscription)), {
    kind: 'unknown',
    reason: 'connection lost',
  })
  assert.equal(inbox.total, 1)
})

test('an endpoint that leads inside is not written to', async (t) => {
  const { channel, web } = await openChannel(t)
  const verdict = await sendTo(
    channel,
    addressOf(web.newSubscription(), { endpoint: 'https://127.0.0.1:1/x' }),
  )
  assert.deepEqual(verdict, { kind: 'refused', reason: 'address_blocked' })
})
