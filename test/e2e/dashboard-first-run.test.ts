import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { openPage, startPlainChromium } from '../support/browser/plain-chromium.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { settled } from '../support/dashboard/dashboard.ts'
import { freshFolder, startBeckon } from '../support/processes/beckon.ts'
import { until } from '../support/until.ts'

test('from the first start to a tap that is counted, without an account', {
  skip: whyNoBrowsers(),
}, async (context) => {
  const folder = await freshFolder(context)
  const beckon = await startBeckon(context, { BECKON_DATA_DIR: folder, BECKON_SANDBOX: 'on' })
  const [link = ''] = /^ *(http\S+\/auth\/link\/\S+)$/m.exec(beckon.stdout())?.slice(1) ?? []
  const { page, problems } = await openPage(await startPlainChromium(context))

  await context.test('the printed link opens the dashboard with one button', async () => {
    await page.goto(link)
    await page.locator('button ::-p-text(Open Beckon)').click()
    await page.waitForFunction(`location.pathname === '/'`)
    await settled(page)
    await page.waitForFunction(`document.querySelector('main a[href="/settings/account"]') !== null`)
    const { member } = await ask(page, 'GET', '/api/v1/me')
    assert.equal(Object(member).is_placeholder, true)
  })

  await context.test('a message to a virtual device arrives, is tapped, and the tap is counted', async () => {
    const [phone] = await devices(page)
    const { subscription_id, platform } = Object(phone)
    const message = { subscription_id, title: 'Hello', message: 'Two parcels' }
    const { notification } = await ask(page, 'POST', `/api/v1/${String(platform)}/send`, message)
    const { id } = Object(notification)
    await until(async () => (await messageOf(page, subscription_id)).state === 'shown', {
      what: 'the message on the device',
    })
    const { message_id, title } = await messageOf(page, subscription_id)
    assert.equal(title, 'Hello')
    const tap = await ask(page, 'POST', `/api/v1/virtual-devices/${String(subscription_id)}/tap`, {
      message_id,
    })
    assert.equal(tap['counted'], 1)
    await until(
      async () => {
        const { receipts } = await ask(page, 'GET', `/api/v1/notifications/${String(id)}/receipts`)
        return Object(receipts).clicked === 1
      },
      { what: 'the tap among the receipts' },
    )
  })

  assert.deepEqual(problems, [])
})

type Reply = Readonly<Record<string, unknown>>

/** Calls the API as the pages do: with the session and the origin of the browser. */
async function ask(page: Page, method: string, path: string, body?: object): Promise<Reply> {
  const headers = { 'x-brand-id': 'demo', 'content-type': 'application/json' }
  const request = JSON.stringify({
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const reply: unknown = await page.evaluate(
    `fetch(${JSON.stringify(path)}, ${request}).then(async (reply) => ({ status: reply.status, ...(await reply.json()) }))`,
  )
  const { status, ...fields } = Object(reply)
  assert.ok(status === 200, `${method} ${path}: ${JSON.stringify(reply)}`)
  return fields
}

async function devices(page: Page): Promise<readonly unknown[]> {
  const { virtual_devices: found } = await ask(page, 'GET', '/api/v1/virtual-devices')
  return Array.isArray(found) ? found : []
}

/** The newest message that a virtual device shows. */
async function messageOf(page: Page, subscriptionId: unknown): Promise<Reply> {
  const device = (await devices(page)).find((one) => Object(one).subscription_id === subscriptionId)
  return Object(Object(device).messages?.[0])
}
