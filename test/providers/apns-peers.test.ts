import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Notification as NodeApnNotification, Provider } from '@parse/node-apn'
import { ApnsClient, ApnsError, Notification } from 'apns2'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'

/** Other people's clients, as they are: what they understand, the sandbox says as Apple does. */

async function openSandbox(t: TestContext, apnsPort: number): Promise<Sandbox> {
  const sandbox = await startSandbox({ ports: { apns: apnsPort } })
  t.after(async () => sandbox.close())
  return sandbox
}

test('@parse/node-apn, unmodified, sends to the sandbox and understands its refusals', async (t) => {
  const { apns, certificate, inbox, servers } = await openSandbox(t, 0)
  const { keyPem: key, keyId, teamId, bundleId } = apns.newCredential()
  const port = Number(new URL(servers.apns.origin).port)
  const provider = new Provider({
    token: { key, keyId, teamId },
    address: 'localhost',
    port,
    ca: [certificate],
  })
  t.after(async () => provider.shutdown())
  const notification = new NodeApnNotification({ alert: { title: 'Hello', body: 'there' }, topic: bundleId })
  notification.pushType = 'alert'
  const [alive, gone, unknown] = [apns.newToken(), apns.newToken(), apns.newToken()]
  apns.setDevice(gone, { kind: 'unregistered', since: 1_700_000_000_000 })
  apns.setDevice(unknown, { kind: 'unknown' })
  const { sent, failed } = await provider.send(notification, [alive, gone, unknown])
  assert.deepEqual(
    sent.map(({ device }) => device),
    [alive],
  )
  assert.deepEqual(
    failed.map(({ device, status, response }) => ({
      device,
      status: Number(status),
      reason: response?.reason,
    })),
    [
      { device: gone, status: 410, reason: 'Unregistered' },
      { device: unknown, status: 400, reason: 'BadDeviceToken' },
    ],
  )
  assert.equal(inbox.total, 1)
})

test('apns2, unmodified, sends to the sandbox and understands its refusals', async (t) => {
  // The client has port 443 written into it.
  if (!(await canListen(443))) return t.skip('apns2 needs 127.0.0.1:443, which this user may not open')
  const { apns, certificate, inbox } = await openSandbox(t, 443)
  const usual = getCACertificates('default')
  setDefaultCACertificates([...usual, certificate])
  t.after(() => setDefaultCACertificates(usual))
  const { keyPem: signingKey, keyId, teamId: team, bundleId: defaultTopic } = apns.newCredential()
  const client = new ApnsClient({ host: 'localhost', team, keyId, signingKey, defaultTopic })
  t.after(async () => client.destroy())
  const token = apns.newToken()
  await client.send(new Notification(token, { alert: 'Hello', collapseId: 'c1' }))
  assert.equal(inbox.newest()[0]?.collapseId, 'c1')
  apns.setDevice(token, { kind: 'unregistered', since: 1_700_000_000_000 })
  await assert.rejects(client.send(new Notification(token, { alert: 'Hello' })), (error: unknown) => {
    assert.ok(error instanceof ApnsError)
    assert.equal(error.statusCode, 410)
    assert.equal(error.reason, 'Unregistered')
    return true
  })
  return undefined
})

async function canListen(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.once('error', () => resolve(false))
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  return promise
}
