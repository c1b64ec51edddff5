import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { IosCredential } from '../../src/domain/push/credential.ts'
import { type ApnsAddress, ApnsChannel } from '../../src/providers/apns/client.ts'
import { apnsIdOf } from '../../src/providers/apns/payload.ts'
import type { MessageContent } from '../../src/providers/channel.ts'
import { PLATFORMS } from '../../src/rules/platforms.ts'
import { deliveryId } from '../../src/runtime/secrets/receipt-token.ts'
import { HTML_502 } from '../../src/sandbox/faults.ts'
import { type Bench, CONTENT, NOW, openBench, recipientOf, until } from './support.ts'

const MINUTE_MS = 60_000

async function openChannel(t: TestContext, change: Partial<IosCredential> = {}) {
  const bench = await openBench(t)
  const credential = { ...bench.sandbox.apns.newCredential(), environment: 'production', ...change } as const
  return { ...bench, ...bench.sandbox, credential, channel: channelOf(bench, credential) }
}

function channelOf(bench: Bench, credential: IosCredential): ApnsChannel {
  const { origin } = bench.sandbox.servers.apns
  return new ApnsChannel(bench, credential, { production: origin, sandbox: origin })
}

function deviceOf(token: string): ApnsAddress {
  return { token, environment: null }
}

async function sendTo(channel: ApnsChannel, token: string, change: Partial<MessageContent> = {}) {
  return channel.prepare({ ...CONTENT, ...change }).send(recipientOf(deviceOf(token)))
}

test('an alert arrives with its headers, its text and its own ids', async (t) => {
  const { apns, channel, inbox } = await openChannel(t)
  const recipient = {
    ...recipientOf(deviceOf(apns.newToken())),
    deliveryId: 'd"1"',
    collapseId: 'c1',
    receipt: 'r1',
  }
  const content = {
    ...CONTENT,
    badge: 3,
    sound: 'ding.caf',
    imageUrl: 'https://img.example/a.png',
    buttons: [{ title: 'Buy', url: 'https://shop.example/buy' }],
    data: { colour: 'red', aps: 'mischief', url: 'https://elsewhere.example' },
  }
  assert.deepEqual(await channel.prepare(content).send(recipient), { kind: 'accepted' })
  const [arrival] = inbox.newest()
  assert.deepEqual(arrival?.headers, {
    'apns-topic': 'app.beckon.sandbox',
    'apns-push-type': 'alert',
    'apns-priority': '10',
    'apns-expiration': String(NOW / 1000 + 3600),
    'apns-id': apnsIdOf('d"1"'),
    'apns-collapse-id': 'c1',
  })
  assert.deepEqual(arrival?.payload, {
    aps: { alert: { title: 'Hello', body: 'A message' }, badge: 3, sound: 'ding.caf', 'mutable-content': 1 },
    colour: 'red',
    notification_id: '42',
    url: 'https://shop.example/sale',
    image_url: 'https://img.example/a.png',
    button_one_title: 'Buy',
    button_one_url: 'https://shop.example/buy',
    delivery_id: 'd"1"',
    receipt: 'r1',
  })
})

test('a text alone can run an extension of the app, and carries the fields of iOS', async (t) => {
  const { apns, channel, inbox } = await openChannel(t)
  const fields = {
    category: 'ORDER',
    threadId: 'orders',
    interruptionLevel: 'time-sensitive',
    relevanceScore: 0.5,
  } as const
  await sendTo(channel, apns.newToken(), fields)
  await sendTo(channel, apns.newToken())
  const [having, plain] = inbox.newest().map(({ payload }) => payload)
  const alert = { title: 'Hello', body: 'A message' }
  assert.partialDeepStrictEqual(having, {
    aps: {
      alert,
      category: 'ORDER',
      'thread-id': 'orders',
      'interruption-level': 'time-sensitive',
      'relevance-score': 0.5,
      'mutable-content': 1,
    },
  })
  assert.ok(typeof plain === 'object' && plain !== null && 'aps' in plain)
  assert.deepEqual(plain.aps, { alert, 'mutable-content': 1 })
})

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('an apns-id is a canonical UUID, the same for a repeat and another for another delivery', () => {
  const id = apnsIdOf('AZpY0b2mfCGQm1v0lA3QpQAAAAAAAAAB')
  assert.match(id, UUID)
  assert.equal(apnsIdOf('AZpY0b2mfCGQm1v0lA3QpQAAAAAAAAAB'), id)
  assert.notEqual(apnsIdOf('AZpY0b2mfCGQm1v0lA3QpQAAAAAAAAAC'), id)
  assert.match(apnsIdOf('no delivery id of ours'), UUID)
})

test('an apns-id is the id of the notification with that of the device added, as docs/mobile.md says', () => {
  const notificationId = '019a58d1-bda6-7c21-909b-5bf4940dd0a5'
  const idOf = (subscriptionId: bigint) => apnsIdOf(deliveryId({ notificationId, subscriptionId }))
  assert.equal(idOf(0n), '019a58d1-bda6-8c21-909b-5bf4940dd0a5')
  assert.equal(idOf(0xff01n), '019a58d1-bda6-8c21-909b-5bf4940d2fa4')
  const near = Array.from({ length: 2_000 }, (_, place) => idOf(BigInt(place)))
  assert.equal(new Set([...near, idOf(2n ** 62n - 1n)]).size, near.length + 1)
})

test('a silent message wakes the app in the background and shows nothing', async (t) => {
  const { apns, channel, inbox } = await openChannel(t)
  assert.equal((await sendTo(channel, apns.newToken(), { silent: true, ttlSeconds: 0 })).kind, 'accepted')
  const [arrival] = inbox.newest()
  assert.equal(arrival?.headers['apns-push-type'], 'background')
  assert.equal(arrival?.headers['apns-priority'], '5')
  assert.equal(arrival?.headers['apns-expiration'], '0')
  assert.match(
    JSON.stringify(arrival?.payload),
    /"title":"Hello","message":"A message".*"content-available":1/,
  )
  assert.doesNotMatch(JSON.stringify(arrival?.payload), /mutable-content/)
})

test('a collapse id that APNs would refuse is replaced by its hash', async (t) => {
  const { apns, channel, inbox } = await openChannel(t)
  for (const collapseId of ['x'.repeat(64), 'x'.repeat(65), 'ü']) {
    const recipient = { ...recipientOf(deviceOf(apns.newToken())), collapseId }
    assert.equal((await channel.prepare(CONTENT).send(recipient)).kind, 'accepted')
  }
  const [longest, tooLong, odd] = inbox.newest().map((arrival) => arrival.collapseId ?? '')
  assert.equal(longest, 'x'.repeat(64))
  assert.match(tooLong ?? '', /^[0-9a-f]{64}$/)
  assert.match(odd ?? '', /^[0-9a-f]{64}$/)
  assert.notEqual(tooLong, odd)
})

test('a payload of exactly the limit is accepted, and one byte more is refused', async (t) => {
  const { apns, channel, inbox } = await openChannel(t)
  const recipient = recipientOf(deviceOf(apns.newToken()))
  await channel.prepare({ ...CONTENT, body: '' }).send(recipient)
  const emptyBytes = Buffer.byteLength(JSON.stringify(inbox.newest()[0]?.payload))
  const room = PLATFORMS.ios.payloadBytesMax - emptyBytes
  const send = async (body: string) => channel.prepare({ ...CONTENT, body }).send(recipient)
  assert.deepEqual(await send('x'.repeat(room)), { kind: 'accepted' })
  assert.deepEqual(await send('x'.repeat(room + 1)), { kind: 'refused', reason: 'PayloadTooLarge' })
})

test('dead devices are told apart', async (t) => {
  const { apns, channel } = await openChannel(t)
  const [gone, expired, unknown, other] = [0, 1, 2, 3].map(() => apns.newToken())
  apns.setDevice(gone ?? '', { kind: 'unregistered', since: NOW - 1000 })
  apns.setDevice(expired ?? '', { kind: 'expired', since: NOW - 2000 })
  apns.setDevice(unknown ?? '', { kind: 'unknown' })
  apns.setDevice(other ?? '', { kind: 'of_topic', topic: 'another.app' })
  const verdicts = await Promise.all(
    [gone, expired, unknown, other].map(async (token) => sendTo(channel, token ?? '')),
  )
  assert.deepEqual(verdicts, [
    { kind: 'gone', reason: 'Unregistered', goneAt: NOW - 1000, isSuspect: false },
    { kind: 'gone', reason: 'ExpiredToken', goneAt: NOW - 2000, isSuspect: false },
    { kind: 'gone', reason: 'BadDeviceToken', goneAt: null, isSuspect: true },
    { kind: 'gone', reason: 'DeviceTokenNotForTopic', goneAt: null, isSuspect: true },
  ])
})

test('a credential that cannot be right pauses the channel', async (t) => {
  const { apns, channel, credential, ...bench } = await openChannel(t)
  const stranger = { ...apns.newCredential(), environment: 'production' } as const
  const wrong: readonly [Partial<IosCredential>, string][] = [
    [{ keyPem: 'nonsense' }, 'bad_signing_key'],
    [{ keyPem: stranger.keyPem }, 'InvalidProviderToken'],
    [{ keyId: 'UNKNOWNKEY' }, 'InvalidProviderToken'],
    [{ teamId: 'OTHERTEAM1' }, 'InvalidProviderToken'],
    [{ bundleId: 'another.app' }, 'TopicDisallowed'],
  ]
  for (const [change, reason] of wrong) {
    const verdict = await sendTo(channelOf(bench, { ...credential, ...change }), apns.newToken())
    assert.deepEqual(verdict, { kind: 'paused', reason })
  }
  assert.deepEqual(await sendTo(channel, apns.newToken()), { kind: 'accepted' })
})

test('a token is minted every 50 minutes and not sooner, by however many sends at once', async (t) => {
  const { apns, channel, clock, inbox } = await openChannel(t)
  for (let minute = 0; minute < 300; minute += 10) {
    const verdicts = await Promise.all(
      Array.from({ length: 5 }, async () => sendTo(channel, apns.newToken())),
    )
    for (const verdict of verdicts) assert.deepEqual(verdict, { kind: 'accepted' }, `minute ${minute}`)
    clock.advance(10 * MINUTE_MS)
  }
  assert.equal(inbox.total, 150)
})

test('a token that APNs calls expired is renewed once, and the message goes out', async (t) => {
  const { apns, channel, clock, inbox } = await openChannel(t)
  const token = apns.newToken()
  await sendTo(channel, token)
  clock.advance(25 * MINUTE_MS)
  apns.faults.add(token, { kind: 'answer', status: 403, body: '{"reason":"ExpiredProviderToken"}' })
  assert.deepEqual(await sendTo(channel, token), { kind: 'accepted' })
  assert.equal(inbox.total, 2)
})

test('a young token that APNs calls expired is not renewed: minting again would be banned', async (t) => {
  const { apns, channel, clock } = await openChannel(t)
  const token = apns.newToken()
  await sendTo(channel, token)
  clock.advance(5 * MINUTE_MS)
  apns.faults.add(token, { kind: 'answer', status: 403, body: '{"reason":"ExpiredProviderToken"}' })
  assert.deepEqual(await sendTo(channel, token), { kind: 'paused', reason: 'ExpiredProviderToken' })
})

test('after TooManyProviderTokenUpdates a new connection is used', async (t) => {
  const { apns, channel, credential, servers, clock, ...bench } = await openChannel(t)
  const token = apns.newToken()
  await sendTo(channel, token)
  clock.advance(5 * MINUTE_MS)
  const { origin } = servers.apns
  const careless = await openBench(t)
  const other = new ApnsChannel({ ...bench, clock, tokens: careless.tokens }, credential, {
    production: origin,
    sandbox: origin,
  })
  careless.clock.advance(5 * MINUTE_MS)
  const verdict = await sendTo(other, token)
  assert.deepEqual(verdict, {
    kind: 'retry',
    reason: 'TooManyProviderTokenUpdates',
    waitMs: 60_000,
    scope: 'credential',
  })
  assert.deepEqual(await sendTo(channel, token), { kind: 'accepted' })
})

test('two teams never share a connection', async (t) => {
  const { apns, channel, servers, ...bench } = await openChannel(t)
  const second = channelOf({ ...bench }, { ...apns.newCredential(), environment: 'production' })
  assert.deepEqual(await sendTo(channel, apns.newToken()), { kind: 'accepted' })
  assert.deepEqual(await sendTo(second, apns.newToken()), { kind: 'accepted' })
  assert.equal(servers.apns.connectionCount, 2)
})

test('a GOAWAY in the middle of 1000 sends loses none and shows none twice', async (t) => {
  const { apns, channel, inbox, servers } = await openChannel(t)
  const message = channel.prepare(CONTENT)
  servers.apns.queueCalls()
  const sending = Promise.all(
    Array.from({ length: 1000 }, async () => message.send(recipientOf(deviceOf(apns.newToken())))),
  )
  await until(() => servers.apns.queuedCount === 1000)
  servers.apns.release(300)
  servers.apns.goaway('refusing')
  servers.apns.release()
  for (const verdict of await sending) assert.deepEqual(verdict, { kind: 'accepted' })
  assert.equal(inbox.total, 1000)
  assert.equal(new Set(inbox.newest().map((arrival) => arrival.collapseId)).size, 1000)
})

test('a message accepted before the connection broke has an unknown outcome', async (t) => {
  const { apns, channel, inbox } = await openChannel(t)
  const token = apns.newToken()
  apns.faults.add(token, { kind: 'accept_then_drop' })
  assert.deepEqual(await sendTo(channel, token), { kind: 'unknown', reason: 'connection lost' })
  assert.equal(inbox.total, 1)
})

test('an answer of HTML is a failure of the host, and tried again', async (t) => {
  const { apns, channel } = await openChannel(t)
  const token = apns.newToken()
  apns.faults.add(token, HTML_502)
  assert.deepEqual(await sendTo(channel, token), {
    kind: 'retry',
    reason: 'http_502',
    waitMs: 0,
    scope: 'host',
  })
})
