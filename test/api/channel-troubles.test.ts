import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { saveChannelFailure } from '../../src/store/push/channel-failures.ts'
import { pauseChannel, resumeChannel } from '../../src/store/push/channels.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps

/** A brand with one person, and the calls that show what a sender sees. */
async function sender() {
  const brand = await server.brand()
  const ref = { brandId: brand.brandId, platform: 'android', version: 0 } as const
  await seedSubscriptions(database, { brandId: brand.brandId, userId: 'ann' })
  const headers = keyHeaders(brand)
  const get = async (path: string) => call(server.port, { path, headers })
  const body = { user_id: 'ann', title: 'Hello', message: 'there' }
  const send = async (more: object = {}) =>
    call(server.port, { path: '/api/v1/android/send', headers, body: { ...body, ...more } })
  const look = async (id: string) => ({
    notification: (await get(`/api/v1/notifications/${id}`)).body['notification'],
    explanation: (await get(`/api/v1/explain?user_id=ann&notification=${id}`)).body['explanation'],
    channel: (await get('/api/v1/brand/channels/android')).body['channel'],
    list: (await get('/api/v1/notifications')).body['notifications'],
  })
  return { ref, send, look }
}

function idIn({ notification }: Readonly<Record<string, unknown>>): string {
  assert.ok(typeof notification === 'object' && notification !== null && 'id' in notification)
  return String(notification.id)
}

test('200: a paused channel is told in the reply, the notification, the explanation and the channel', async () => {
  const { ref, send, look } = await sender()
  await pauseChannel(database, { ...ref, reason: 'invalid_grant', pauseMs: 60_000 })
  const sent = await send()
  assert.equal(sent.status, 200, sent.text)
  assert.partialDeepStrictEqual(sent.body, {
    warnings: [{ field: 'platform', code: 'channel_paused' }],
  })
  assert.match(sent.text, /invalid_grant.*PUT \/api\/v1\/brand\/channels\/android/)
  const dry = await send({ dry_run: true })
  assert.partialDeepStrictEqual(dry.body, { warnings: [{ code: 'channel_paused' }] })

  const { notification, explanation, channel, list } = await look(idIn(sent.body))
  const told = { reason: 'invalid_grant', advice: /set the credentials again/ }
  assert.partialDeepStrictEqual(notification, { state: 'queued', reason: told.reason })
  assert.match(JSON.stringify(notification), told.advice)
  assert.partialDeepStrictEqual(list, [{ reason: told.reason }])
  assert.partialDeepStrictEqual(explanation, { is_reached: false, reasons: [{ code: 'obstructed' }] })
  assert.match(JSON.stringify(explanation), /invalid_grant.*set the credentials again/)
  assert.partialDeepStrictEqual(channel, { health: { state: 'paused', reason: told.reason } })
})

test('200: a failing channel is told in the same places, with the cure for its reason', async () => {
  const cures = [
    ['token_endpoint', /Google gives no access token/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /certificate .* is not trusted/],
    ['ECONNREFUSED', /cannot reach the push service/],
    ['http_503', /accepts no message at present/],
  ] as const
  for (const [reason, cure] of cures) {
    const { ref, send, look } = await sender()
    await saveChannelFailure(database, { ...ref, reason })
    const sent = await send()
    assert.partialDeepStrictEqual(sent.body, { warnings: [{ code: 'channel_failing' }] })
    assert.match(sent.text, cure)
    const { notification, explanation, channel } = await look(idIn(sent.body))
    assert.partialDeepStrictEqual(notification, { state: 'queued', reason })
    assert.partialDeepStrictEqual(explanation, { reasons: [{ code: 'obstructed' }] })
    assert.partialDeepStrictEqual(channel, { health: { state: 'failing', reason } })
    for (const shown of [notification, explanation, channel]) assert.match(JSON.stringify(shown), cure)
  }
})

test('200: nothing is said of a channel that works, of a scheduled push, or of a trouble that is over', async () => {
  const { ref, send, look } = await sender()
  assert.equal((await send()).body['warnings'], undefined)
  await pauseChannel(database, { ...ref, reason: 'invalid_grant', pauseMs: 60_000 })
  await until(async () => (await send()).body['warnings'] !== undefined, { what: 'the warning comes' })
  const later = await look(idIn((await send({ time: 3_600 })).body))
  assert.partialDeepStrictEqual(later.notification, { state: 'scheduled', reason: null, advice: null })
  assert.partialDeepStrictEqual(later.explanation, { reasons: [{ code: 'scheduled' }] })
  await resumeChannel(database, ref)
  await until(async () => (await send()).body['warnings'] === undefined, { what: 'the warning goes' })
  const now = await look(idIn((await send()).body))
  assert.partialDeepStrictEqual(now.notification, { state: 'queued', reason: null, advice: null })
  assert.partialDeepStrictEqual(now.explanation, { reasons: [{ code: 'pending' }] })
})
