import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AndroidCredential } from '../../src/domain/push/credential.ts'
import { messageOf } from '../../src/domain/push/message.ts'
import type { MessageContent } from '../../src/providers/channel.ts'
import { FcmChannel } from '../../src/providers/fcm/client.ts'
import { MEASURE_PAYLOAD } from '../../src/providers/payload-bytes.ts'
import { PLATFORMS } from '../../src/rules/platforms.ts'
import { HTML_502 } from '../../src/sandbox/faults.ts'
import { TOKEN_PATH } from '../../src/sandbox/fcm/fcm-sandbox.ts'
import { type Bench, CONTENT, openBench, recipientOf, until } from './support.ts'

async function openChannel(t: TestContext) {
  const bench = await openBench(t)
  const credential = bench.sandbox.fcm.newCredential()
  return { ...bench, ...bench.sandbox, credential, channel: channelOf(bench, credential) }
}

function channelOf(bench: Bench, credential: AndroidCredential): FcmChannel {
  const { origin } = bench.sandbox.servers.fcm
  return new FcmChannel(bench, credential, { origin, tokenUrl: `${origin}${TOKEN_PATH}` })
}

async function sendTo(channel: FcmChannel, token: string, change: Partial<MessageContent> = {}) {
  return channel.prepare({ ...CONTENT, ...change }).send(recipientOf({ token }))
}

test('a notification arrives with its options, its data and its own ids', async (t) => {
  const { fcm, channel, inbox } = await openChannel(t)
  const token = fcm.newToken()
  const recipient = { address: { token }, deliveryId: 'd1', collapseId: 'c1', receipt: 'r1' }
  const content = {
    ...CONTENT,
    imageUrl: 'https://img.example/a.png',
    heroImageUrl: 'https://img.example/hero.png',
    buttons: [
      { title: 'Buy', url: 'https://shop.example/buy' },
      { title: 'Later', url: null },
    ],
    androidChannel: 'offers',
    sound: 'ding',
    badge: 2,
    data: { colour: 'red' },
  }
  assert.deepEqual(await channel.prepare(content).send(recipient), { kind: 'accepted' })
  const [arrival] = inbox.newest()
  assert.equal(arrival?.collapseId, 'c1')
  assert.deepEqual(arrival?.payload, {
    token,
    notification: { title: 'Hello', body: 'A message', image: 'https://img.example/a.png' },
    data: {
      colour: 'red',
      notification_id: '42',
      url: 'https://shop.example/sale',
      image_url: 'https://img.example/a.png',
      hero_image_url: 'https://img.example/hero.png',
      button_one_title: 'Buy',
      button_one_url: 'https://shop.example/buy',
      button_two_title: 'Later',
      delivery_id: 'd1',
      receipt: 'r1',
    },
    android: {
      ttl: '3600s',
      priority: 'HIGH',
      notification: { tag: 'c1', channel_id: 'offers', sound: 'ding', notification_count: 2 },
    },
  })
})

test('a silent message carries its text as data and shows nothing', async (t) => {
  const { fcm, channel, inbox } = await openChannel(t)
  await sendTo(channel, fcm.newToken(), { silent: true, priority: 'normal', ttlSeconds: 9_999_999 })
  const payload = JSON.stringify(inbox.newest()[0]?.payload)
  assert.doesNotMatch(payload, /"notification":/)
  assert.match(payload, /"title":"Hello","message":"A message"/)
  assert.match(payload, /"android":\{"ttl":"2419200s","priority":"NORMAL"\}/)
})

test('what we measure as the limit is accepted, and the provider has the last word beyond it', async (t) => {
  const { fcm, channel } = await openChannel(t)
  const ids = { deliveryId: 'd1', callerNotificationId: 42n }
  const measure = (body: string) => MEASURE_PAYLOAD.android(messageOf({ ...CONTENT, body }, ids))
  const room = PLATFORMS.android.payloadBytesMax - measure('')
  assert.equal(measure('x'.repeat(room)), PLATFORMS.android.payloadBytesMax)
  const receipt = 'r'.repeat(128)
  const send = async (body: string) =>
    channel
      .prepare({ ...CONTENT, body })
      .send({ address: { token: fcm.newToken() }, collapseId: '42', receipt, ...ids })
  assert.deepEqual(await send('x'.repeat(room)), { kind: 'accepted' })
  assert.deepEqual(await send('x'.repeat(room + 200)), { kind: 'refused', reason: 'INVALID_ARGUMENT' })
})

test('FCM itself takes 4096 bytes of content, and not one more', async (t) => {
  const { fcm, channel, inbox } = await openChannel(t)
  const recipient = recipientOf({ token: fcm.newToken() })
  const send = async (body: string) => channel.prepare({ ...CONTENT, body }).send(recipient)
  await send('')
  const payload = JSON.parse(JSON.stringify(inbox.newest()[0]?.payload))
  const counted = {
    notification: payload.notification,
    data: payload.data,
    android: payload.android.notification,
  }
  const room = 4096 - Buffer.byteLength(JSON.stringify(counted))
  assert.equal((await send('x'.repeat(room))).kind, 'accepted')
  assert.equal((await send('x'.repeat(room + 1))).kind, 'refused')
})

test('dead devices are told apart', async (t) => {
  const { fcm, channel } = await openChannel(t)
  const [gone, other] = [fcm.newToken(), fcm.newToken()]
  fcm.setDevice(gone, { kind: 'unregistered' })
  fcm.setDevice(other, { kind: 'of_project', projectId: 'another' })
  const verdicts = await Promise.all([gone, other, 'nonsense'].map(async (token) => sendTo(channel, token)))
  assert.deepEqual(verdicts, [
    { kind: 'gone', reason: 'UNREGISTERED', goneAt: null, isSuspect: false },
    { kind: 'gone', reason: 'SENDER_ID_MISMATCH', goneAt: null, isSuspect: true },
    { kind: 'gone', reason: 'INVALID_TOKEN', goneAt: null, isSuspect: false },
  ])
})

test('a credential that cannot be right pauses the channel', async (t) => {
  const { fcm, credential, ...bench } = await openChannel(t)
  const stranger = fcm.newCredential()
  const wrong: readonly [Partial<AndroidCredential>, string][] = [
    [{ privateKeyPem: 'nonsense' }, 'bad_private_key'],
    [{ privateKeyPem: stranger.privateKeyPem }, 'invalid_grant'],
    [{ clientEmail: 'nobody@nowhere.example' }, 'invalid_grant'],
    [{ projectId: stranger.projectId }, 'http_403'],
  ]
  for (const [change, reason] of wrong) {
    const verdict = await sendTo(channelOf(bench, { ...credential, ...change }), fcm.newToken())
    assert.deepEqual(verdict, { kind: 'paused', reason })
  }
})

test('one access token serves a thousand sends, and is renewed before its end', async (t) => {
  const { fcm, channel, clock } = await openChannel(t)
  const message = channel.prepare(CONTENT)
  const sendSome = async (count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => message.send(recipientOf({ token: fcm.newToken() }))),
    )
  for (const verdict of await sendSome(1000)) assert.deepEqual(verdict, { kind: 'accepted' })
  assert.equal(fcm.accessTokens.mintedCount, 1)
  clock.advance(50 * 60_000)
  await sendSome(10)
  assert.equal(fcm.accessTokens.mintedCount, 1)
  clock.advance(6 * 60_000)
  await sendSome(10)
  assert.equal(fcm.accessTokens.mintedCount, 2)
})

test('an access token that was taken back is renewed once, and no message is lost', async (t) => {
  const { fcm, channel, inbox } = await openChannel(t)
  await sendTo(channel, fcm.newToken())
  fcm.accessTokens.revokeAll()
  const verdicts = await Promise.all(Array.from({ length: 50 }, async () => sendTo(channel, fcm.newToken())))
  for (const verdict of verdicts) assert.deepEqual(verdict, { kind: 'accepted' })
  assert.equal(fcm.accessTokens.mintedCount, 2)
  assert.equal(inbox.total, 51)
})

test('while the token endpoint is down, a token that still lasts carries on', async (t) => {
  const { fcm, channel, clock } = await openChannel(t)
  await sendTo(channel, fcm.newToken())
  clock.advance(56 * 60_000)
  fcm.faults.add(TOKEN_PATH, HTML_502, 2)
  assert.deepEqual(await sendTo(channel, fcm.newToken()), { kind: 'accepted' })
  clock.advance(10 * 60_000)
  const down = await sendTo(channel, fcm.newToken())
  assert.equal(down.kind === 'retry' && down.reason, 'token_endpoint')
  assert.ok(down.kind === 'retry' && down.waitMs > 0)
  await until(async () => (await sendTo(channel, fcm.newToken())).kind === 'accepted')
})

const BAD_TOKENS: Readonly<Record<string, object>> = {
  'CR LF': { access_token: 'ya29.a\r\nx-evil: yes', expires_in: 3599 },
  'a line feed': { access_token: 'ya29.a\n', expires_in: 3599 },
  'a zero byte': { access_token: 'ya29.a\0', expires_in: 3599 },
  'a space': { access_token: 'ya29 a', expires_in: 3599 },
  'a letter beyond ASCII': { access_token: 'ya29.ä', expires_in: 3599 },
  'no character': { access_token: '', expires_in: 3599 },
  'too many characters': { access_token: 'a'.repeat(4097), expires_in: 3599 },
  'an end in the past': { access_token: 'ya29.a', expires_in: -1 },
  'an end at once': { access_token: 'ya29.a', expires_in: 0 },
}

for (const [name, body] of Object.entries(BAD_TOKENS)) {
  test(`an access token with ${name} is refused at once, and another is fetched`, async (t) => {
    const { fcm, channel, inbox } = await openChannel(t)
    fcm.faults.add(TOKEN_PATH, { kind: 'answer', status: 200, body: JSON.stringify(body) })
    const verdict = await sendTo(channel, fcm.newToken())
    assert.equal(verdict.kind === 'retry' && verdict.reason, 'bad_access_token')
    assert.ok(verdict.kind === 'retry' && verdict.scope === 'credential' && verdict.waitMs > 0)
    assert.equal(inbox.total, 0)
    await until(async () => (await sendTo(channel, fcm.newToken())).kind === 'accepted')
    assert.equal(fcm.accessTokens.mintedCount, 1)
  })
}

test('an access token that claims to last for ever is renewed after a day', async (t) => {
  const { fcm, channel, clock } = await openChannel(t)
  for (const seconds of ['1e300', '1e999', '253402300800']) {
    const body = `{"access_token":"ya29.forever","expires_in":${seconds}}`
    fcm.faults.add(TOKEN_PATH, { kind: 'answer', status: 200, body })
    const token = fcm.newToken()
    fcm.faults.add(token, { kind: 'answer', status: 200, body: '{}' })
    assert.deepEqual(await sendTo(channel, token), { kind: 'accepted' })
    clock.advance(86_400_000)
  }
  assert.deepEqual(await sendTo(channel, fcm.newToken()), { kind: 'accepted' })
  assert.equal(fcm.accessTokens.mintedCount, 1)
})

test('a token endpoint that redirects pauses the channel; one that is busy is asked again', async (t) => {
  const bench = await openChannel(t)
  const { fcm } = bench
  for (const [status, kind] of [
    [302, 'paused'],
    [405, 'paused'],
    [400, 'paused'],
    [408, 'retry'],
    [425, 'retry'],
    [429, 'retry'],
    [503, 'retry'],
  ] as const) {
    fcm.faults.add(TOKEN_PATH, { kind: 'answer', status })
    // A new channel, because a busy endpoint is left alone for a while.
    const verdict = await sendTo(channelOf(bench, fcm.newCredential()), fcm.newToken())
    assert.equal(verdict.kind, kind, String(status))
    assert.equal('reason' in verdict && verdict.reason, 'token_endpoint')
  }
})

test('only a 200 with a text and a number is an access token, and an error that no standard knows is not repeated', async (t) => {
  const bench = await openChannel(t)
  const { fcm, inbox } = bench
  const token = { access_token: 'ya29.a', expires_in: 3599 }
  for (const [status, kind, body] of [
    [400, 'paused', token],
    [201, 'retry', token],
    [200, 'retry', { ...token, access_token: 5 }],
    [200, 'retry', { ...token, expires_in: '3599' }],
    [400, 'paused', { error: 'a text of somebody else' }],
    [400, 'paused', { error: ['invalid_grant'] }],
  ] as const) {
    fcm.faults.add(TOKEN_PATH, { kind: 'answer', status, body: JSON.stringify(body) })
    const verdict = await sendTo(channelOf(bench, fcm.newCredential()), fcm.newToken())
    assert.equal(verdict.kind, kind, JSON.stringify(body))
    assert.equal('reason' in verdict && verdict.reason, 'token_endpoint')
  }
  assert.equal(inbox.total, 0)
})

test('a token endpoint that takes the request and says nothing leaves the message unsent, not unknown', async (t) => {
  const { fcm, channel, inbox } = await openChannel(t)
  fcm.faults.add(TOKEN_PATH, { kind: 'drop' })
  const verdict = await sendTo(channel, fcm.newToken())
  assert.equal(verdict.kind, 'retry')
  assert.equal(inbox.total, 0)
})

test('a GOAWAY in the middle of a broadcast loses none and repeats none', async (t) => {
  const { fcm, channel, inbox, servers } = await openChannel(t)
  const message = channel.prepare(CONTENT)
  await message.send(recipientOf({ token: fcm.newToken() }))
  servers.fcm.queueCalls()
  const sending = Promise.all(
    Array.from({ length: 1000 }, async () => message.send(recipientOf({ token: fcm.newToken() }))),
  )
  await until(() => servers.fcm.queuedCount === 400)
  servers.fcm.release(150)
  servers.fcm.goaway('refusing')
  servers.fcm.release()
  for (const verdict of await sending) assert.deepEqual(verdict, { kind: 'accepted' })
  assert.equal(inbox.total, 1001)
  assert.equal(new Set(inbox.newest().map((arrival) => arrival.collapseId)).size, 1001)
})

test('a message accepted before the connection broke has an unknown outcome', async (t) => {
  const { fcm, channel, inbox } = await openChannel(t)
  const token = fcm.newToken()
  fcm.faults.add(token, { kind: 'accept_then_drop' })
  assert.deepEqual(await sendTo(channel, token), { kind: 'unknown', reason: 'connection lost' })
  assert.equal(inbox.total, 1)
})
