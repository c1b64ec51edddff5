import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import { type TestContext, test } from 'node:test'
import webpush from 'web-push'
import { TokenCache } from '../../src/providers/token-cache.ts'
import { WebPushChannel } from '../../src/providers/webpush/client.ts'
import { EncryptPool } from '../../src/providers/webpush/encrypt-pool.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { memoryTokens } from './memory-tokens.ts'
import { CONTENT, poolFor, recipientOf } from './support.ts'

/** npm `web-push`, unmodified, beside our own sender: the same reader understands both. */

async function open(t: TestContext) {
  const sandbox = await startSandbox()
  t.after(async () => sandbox.close())
  return { ...sandbox, vapid: webpush.generateVAPIDKeys(), agent: new Agent({ ca: sandbox.certificate }) }
}

test('web-push sends to the sandbox, which reads it', async (t) => {
  const { web, inbox, vapid, agent } = await open(t)
  const subscription = web.newSubscription(vapid.publicKey)
  const vapidDetails = { subject: 'mailto:push@shop.example', ...vapid }
  const options = { vapidDetails, agent, TTL: 60, topic: 't1', urgency: 'high' } as const
  const result = await webpush.sendNotification(subscription, '{"title":"Grüße 🎉"}', options)
  assert.equal(result.statusCode, 201)
  const [arrival] = inbox.newest()
  assert.deepEqual(arrival?.payload, { title: 'Grüße 🎉' })
  assert.equal(arrival?.collapseId, 't1')
})

test('web-push understands what the sandbox refuses', async (t) => {
  const { web, vapid, agent } = await open(t)
  const gone = web.newSubscription(vapid.publicKey)
  web.unsubscribe(gone.endpoint)
  const vapidDetails = { subject: 'mailto:push@shop.example', ...vapid }
  await assert.rejects(webpush.sendNotification(gone, 'x', { vapidDetails, agent }), { statusCode: 410 })
  const others = web.newSubscription(webpush.generateVAPIDKeys().publicKey)
  await assert.rejects(webpush.sendNotification(others, 'x', { vapidDetails, agent }), { statusCode: 401 })
})

test('a key pair that web-push made works in our channel, and the same subscription reads both', async (t) => {
  const { web, inbox, vapid, agent, servers, certificate } = await open(t)
  const subscription = web.newSubscription(vapid.publicKey)
  const encryptor = new EncryptPool(1)
  const transport = poolFor([servers.web.origin], certificate, {})
  t.after(async () => Promise.all([encryptor.close(), transport.close()]))
  const deps = {
    encryptor,
    transport,
    clock: systemClock,
    tokens: new TokenCache(memoryTokens(), systemClock),
  }
  const subject = 'mailto:push@shop.example'
  const channel = new WebPushChannel(deps, { subject, keys: [vapid] })
  const { endpoint, keys } = subscription
  const address = { endpoint, ...keys, family: null, vapidKey: null }
  assert.deepEqual(await channel.prepare(CONTENT).send(recipientOf(address)), { kind: 'accepted' })
  const vapidDetails = { subject, ...vapid }
  await webpush.sendNotification(subscription, '{"title":"Hello"}', { vapidDetails, agent })
  const titles = inbox.newest().map(({ payload }) => /"title":"(\w+)"/.exec(JSON.stringify(payload))?.[1])
  assert.deepEqual(titles, ['Hello', 'Hello'])
})
