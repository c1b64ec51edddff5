import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import type { ProviderSettings } from '../../src/delivery/provider-urls.ts'
import { openProviders } from '../../src/delivery/providers.ts'
import type { FindSandbox } from '../../src/delivery/sandbox/file.ts'
import { sendTest, type Test } from '../../src/delivery/test-send.ts'
import { DatabaseClock } from '../../src/runtime/database-clock.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { loadMoment } from '../../src/store/push/planning.ts'
import { freshDatabase } from '../support/database/database.ts'
import { RECEIPTS, SEALER, sandboxAccess, seedVapidKey, setCredential } from '../support/push/engine.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop } = await freshDatabase()
const sandbox = await startSandbox()
const access = sandboxAccess(sandbox)
after(async () => {
  await sandbox.close()
  await drop()
})

const clock = new DatabaseClock({ load: async () => loadMoment(database) })
/** Real addresses are never reached: a brand's own credential leads to the sandbox too. */
const SETTINGS: ProviderSettings = {
  fcmOrigin: access.fcm.origin,
  fcmTokenUrl: access.fcm.tokenUrl,
  apnsOrigin: access.apns.origin,
  apnsSandboxOrigin: access.apns.origin,
  providerCa: [access.certificate],
  httpsProxy: null,
  pushHosts: [new URL(access.web.origin).host],
}
const PRESENT: FindSandbox = async () => access
const ABSENT: FindSandbox = async () => null

type Place = { readonly findSandbox: FindSandbox; readonly settings?: ProviderSettings }

async function send(context: TestContext, { findSandbox, settings = SETTINGS }: Place, asked: Partial<Test>) {
  const { channels, close } = openProviders({ database, clock, sealer: SEALER, settings, findSandbox })
  context.after(close)
  const message: Test = {
    brandId: 0,
    platform: 'android',
    subscriptionId: '',
    title: 'A title',
    body: 'A text',
    ...asked,
  }
  return sendTest({ db: database, clock, channels, receipts: RECEIPTS }, message)
}

async function androidDevice() {
  const { brandId } = await brand()
  const address = sandbox.fcm.newToken()
  const [device] = await seedDevices(database, { brandId, platform: 'android', devices: [{ address }] })
  return { brandId, address, subscriptionId: await publicId(brandId, device) }
}

async function publicId(brandId: number, id: bigint | undefined): Promise<string> {
  const { rows } = await database.query<{ name: string }>(
    'select subscription_id as name from subscriptions where brand_id = $1 and id = $2',
    [brandId, id],
  )
  return rows[0]?.name ?? ''
}

function arrivedAt(address: string): number {
  return sandbox.inbox.newest(1_000).filter((arrival) => arrival.address === address).length
}

test('a device that the brand does not have is told apart from a channel that it does not have', async (context) => {
  const { brandId, subscriptionId } = await androidDevice()
  const place = { findSandbox: ABSENT }
  assert.deepEqual(await send(context, place, { brandId, subscriptionId: 'unknown' }), {
    kind: 'no_subscription',
  })
  assert.deepEqual(await send(context, place, { brandId, subscriptionId }), { kind: 'no_channel' })
  const stranger = await brand()
  assert.deepEqual(await send(context, place, { brandId: stranger.brandId, subscriptionId }), {
    kind: 'no_subscription',
  })
})

test('a brand without a credential sends through the sandbox of the machine', async (context) => {
  const { brandId, subscriptionId, address } = await androidDevice()
  const sent = await send(context, { findSandbox: PRESENT }, { brandId, subscriptionId })
  assert.deepEqual(sent, { kind: 'sent', verdict: { kind: 'accepted' } })
  assert.equal(arrivedAt(address), 1)
})

test('a brand with a credential needs no sandbox', async (context) => {
  const { brandId, subscriptionId, address } = await androidDevice()
  await setCredential(database, { brandId, platform: 'android' }, access.fcm.credential)
  const sent = await send(context, { findSandbox: ABSENT }, { brandId, subscriptionId })
  assert.deepEqual(sent, { kind: 'sent', verdict: { kind: 'accepted' } })
  assert.equal(arrivedAt(address), 1)
})

test('a browser is sent to with the key of its brand, and without a key not at all', async (context) => {
  const { brandId } = await brand()
  const { endpoint: address, keys } = sandbox.web.newSubscription(null)
  const devices = [{ address, ...keys }]
  const [device] = await seedDevices(database, { brandId, platform: 'web', devices })
  const asked = { brandId, platform: 'web', subscriptionId: await publicId(brandId, device) } as const
  assert.deepEqual(await send(context, { findSandbox: PRESENT }, asked), { kind: 'no_channel' })
  await seedVapidKey(database, brandId)
  for (const findSandbox of [PRESENT, ABSENT]) {
    const sent = await send(context, { findSandbox }, asked)
    assert.deepEqual(sent, { kind: 'sent', verdict: { kind: 'accepted' } })
  }
  assert.equal(arrivedAt(address), 2)
})

test('a message goes through the proxy that the operator names', async (context) => {
  const { brandId, subscriptionId, address } = await androidDevice()
  await setCredential(database, { brandId, platform: 'android' }, access.fcm.credential)
  const asked: string[] = []
  const proxy = createServer()
  proxy.on('connect', ({ url }: IncomingMessage, socket: Socket) => {
    asked.push(url ?? '')
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  context.after(() => proxy.close())
  const httpsProxy = { host: '127.0.0.1', port: Number(Object(proxy.address()).port), authorization: null }
  const settings = { ...SETTINGS, httpsProxy }
  const sent = await send(context, { findSandbox: ABSENT, settings }, { brandId, subscriptionId })
  assert.ok(sent.kind === 'sent' && sent.verdict.kind !== 'accepted', JSON.stringify(sent))
  assert.deepEqual(new Set(asked), new Set([new URL(access.fcm.origin).host]))
  assert.equal(arrivedAt(address), 0)
})
