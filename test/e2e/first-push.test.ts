import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveSandboxFile } from '../../src/delivery/sandbox/file.ts'
import { PLATFORM_NAMES } from '../../src/rules/platforms.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { askBeckon } from '../support/processes/ask-beckon.ts'
import { freshFolder, startBeckon } from '../support/processes/beckon.ts'
import { sandboxAccess } from '../support/push/engine.ts'
import { until } from '../support/until.ts'

const BRAND = { 'x-brand-id': 'acme', 'x-api-key': 'a-key-of-the-test-brand' } as const

type Body = Readonly<Record<string, unknown>>

test('from an empty folder to a push on all three platforms, without an account anywhere', async (context) => {
  const { url } = await startBeckon(context, {
    BECKON_SANDBOX: 'on',
    BECKON_DATA_DIR: await freshFolder(context),
    BECKON_BRAND_ID: BRAND['x-brand-id'],
    BECKON_API_KEY: BRAND['x-api-key'],
  })
  const call = async (path: string, body?: object): Promise<Body> => {
    const asked = { headers: { ...BRAND, 'content-type': 'application/json' } }
    const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const reply = await askBeckon(`${url}${path}`, { ...asked, ...post })
    return Object(await reply.json())
  }
  for (const platform of PLATFORM_NAMES) {
    await until(async () => (await call('/sandbox/devices', { platform }))['status_code'] === '200', {
      what: 'the sandbox',
    })
    const { device } = await call('/sandbox/devices', { platform })
    const registered = { ...Object(device), user_id: 'ada' }
    // A browser of the sandbox may register as soon as the API has seen where the sandbox is.
    await until(async () => (await call('/api/v1/subscriptions', registered))['status_code'] === '200', {
      what: 'the registration',
    })
    const sent = await call(`/api/v1/${platform}/send`, {
      user_id: 'ada',
      title: 'Hi {{ user.user_id }}',
      message: 'x',
    })
    assert.equal(sent['status_code'], '200', JSON.stringify(sent))
  }
  const { subscriptions } = await call('/api/v1/subscriptions')
  for (const { platform, subscription_id } of Object(subscriptions)) {
    const tested = await call(`/api/v1/brand/channels/${platform}/test`, { subscription_id })
    assert.deepEqual(tested['test'], { verdict: 'accepted', reason: null }, platform)
  }
  const arrivals = async () => Object(await call('/sandbox/inbox'))['arrivals'] ?? []
  const hello = async (): Promise<readonly string[]> =>
    (await arrivals())
      .map((arrival: Body) => JSON.stringify(arrival))
      .filter((text: string) => text.includes('Hi ada'))
  await until(async () => (await hello()).length >= PLATFORM_NAMES.length, {
    what: 'a push on each platform',
  })
  const texts = await hello()
  const platforms = texts.map((text) => /"platform":"(\w+)"/.exec(text)?.[1])
  assert.deepEqual(new Set(platforms), new Set(PLATFORM_NAMES))

  const receipts = texts.map((text) => ({ receipt: /"receipt":"([^"]+)"/.exec(text)?.[1], kind: 'clicked' }))
  assert.equal((await call('/api/v1/receipts', { receipts }))['counted'], PLATFORM_NAMES.length)
})

test('with the sandbox off, one that was killed before stands in for nobody', async (context) => {
  const folder = await freshFolder(context)
  const sandbox = await startSandbox()
  await saveSandboxFile(folder, sandboxAccess(sandbox))
  await sandbox.close()
  const { url } = await startBeckon(context, {
    BECKON_SANDBOX: 'off',
    BECKON_DATA_DIR: folder,
    BECKON_BRAND_ID: BRAND['x-brand-id'],
    BECKON_API_KEY: BRAND['x-api-key'],
  })
  const reply = await askBeckon(`${url}/api/v1/brand/channels/android`, { headers: BRAND })
  assert.match(await reply.text(), /"credentials":"none".*"state":"unable"/)
})
