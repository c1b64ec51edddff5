import assert from 'node:assert/strict'
import { exec } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import type { Arrival } from '../../src/http/deps.ts'
import { curlLine } from '../../src/http/reference/curl.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { DEMO_USER } from '../../src/rules/brand.ts'
import { webBrand } from '../support/people/visitors.ts'
import { startServer } from '../support/processes/server.ts'
import { NO_SANDBOX } from '../support/push/no-sandbox.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const arrivals: Arrival[] = []
const desk = { ...NO_SANDBOX, isPresent: async () => true, arrivals: async () => arrivals }
const server = await startServer({ deps: { sandbox: desk } })
const folder = await mkdtemp(join(tmpdir(), 'beckon-lines-'))
after(async () => {
  await rm(folder, { recursive: true })
  await server.close()
})
const brand = await webBrand(server)

/** Pastes the line of `/docs` into a shell, and gives back what it prints. */
async function paste(address: string): Promise<string> {
  const route = ROUTES.find(({ method, path }) => `${method} ${path}` === address)
  assert.ok(route)
  const env = {
    ...process.env,
    BECKON_URL: `http://127.0.0.1:${server.port}`,
    BECKON_BRAND: brand.externalId,
    BECKON_KEY: brand.secretKey,
    BECKON_PUBLIC_KEY: brand.publishableKey,
  }
  const { stdout } = await promisify(exec)(curlLine(route), { cwd: folder, env })
  return stdout
}

for (const address of ['POST /api/v1/subscriptions', 'POST /api/v1/visitors']) {
  test(`the curl line of ${address} works as pasted`, async () => {
    assert.equal((await read(address)).message, 'success')
  })
}

test('the curl line of the import takes a list that names no platform', async () => {
  await writeFile(join(folder, 'FILE'), 'token\na\n')
  assert.match(await paste('POST /api/v1/subscriptions/import'), /"imported":1,"updated":0,"refused":0/)
})

/** What the demo brand is after its first push: somebody has a device of the sandbox, and a message is in its inbox. */
async function sendFirst(): Promise<void> {
  const { brandId } = brand
  const { database, receipts } = server.deps
  const [subscriptionId = 0n] = await seedSubscriptions(database, { brandId, userId: DEMO_USER })
  const sent = await read('POST /api/v1/android/send')
  assert.equal(sent.message, 'success')
  const receipt = receipts.sign({ brandId, notificationId: sent.notification.id, subscriptionId }, Date.now())
  const payload = { notification: {}, data: { receipt } }
  arrivals.push({ platform: 'android', address: 'a', arrivedAt: 0, collapseId: null, payload })
}

const read = async (address: string) => JSON.parse(await paste(address))

test('the curl lines of pushes, people, browsers and receipts work as pasted, on the demo brand', async () => {
  await sendFirst()
  assert.equal((await read('GET /api/v1/user/userdata')).profile.userID, DEMO_USER)
  assert.equal((await read('POST /api/v1/user/userdata')).profile.userID, DEMO_USER)
  assert.equal((await read('POST /api/v1/visitors/commands')).message, 'success')
  assert.equal((await read('POST /api/v1/receipts')).counted, 1)
  assert.equal((await read('GET /api/v1/notifications/{id}/receipts')).receipts.clicked, 1)
  assert.equal((await read('GET /api/v1/notifications/{id}')).notification.audience, 1)
  assert.deepEqual((await read('GET /api/v1/notifications/{id}/deliveries')).deliveries, [])
})
