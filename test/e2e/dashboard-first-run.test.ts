import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Browser, Page } from 'puppeteer-core'
import { openPage, startPlainChromium } from '../support/browser/plain-chromium.ts'
import { startPlainFirefox } from '../support/browser/plain-firefox.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { settled } from '../support/dashboard/dashboard.ts'
import { replaceText } from '../support/dashboard/replace-text.ts'
import { freshFolder, runBeckon, startBeckon } from '../support/processes/beckon.ts'
import { until } from '../support/until.ts'

test('from the first start to a tap that is counted, without an account', {
  skip: whyNoBrowsers(),
}, async (context) => {
  const folder = await freshFolder(context)
  const beckon = await startBeckon(context, { BECKON_DATA_DIR: folder, BECKON_SANDBOX: 'on' })

  await context.test('in Chromium', async (inner) => {
    const way = await openWay(await startPlainChromium(inner), linkIn(beckon.stdout()))
    await walk(inner, { ...way, text: 'Two parcels' })
  })

  await context.test('in Firefox', async (inner) => {
    const place = { BECKON_DATA_DIR: folder, PORT: new URL(beckon.url).port }
    const { stdout } = await runBeckon(['member', 'link'], place)
    const way = await openWay(await startPlainFirefox(inner), linkIn(stdout))
    // The brand has sent something by now, so a browser does not offer the first message by itself.
    await way.page.goto(new URL('/docs', way.link).href)
    await way.page.evaluate(`localStorage.setItem('beckon.first-run.demo', 'begun')`)
    await walk(inner, { ...way, text: 'Three parcels' })
  })
})

type Way = { readonly link: string; readonly page: Page; readonly problems: readonly string[] }

async function openWay(browser: Browser, link: string): Promise<Way> {
  return { link, ...(await openPage(browser)) }
}

function linkIn(stdout: string): string {
  return /^ *(http\S+\/auth\/link\/\S+)$/m.exec(stdout)?.[1] ?? ''
}

/** Opens the link, sends to the three devices of the first start, and taps one. */
async function walk(
  context: TestContext,
  { link, page, problems, text }: Way & { readonly text: string },
): Promise<void> {
  const shows = async (words: string) =>
    page.waitForFunction(`document.querySelector('main').textContent.includes(${JSON.stringify(words)})`)

  await context.test('the printed link opens the dashboard with one button', async () => {
    await page.goto(link)
    await page.locator('button ::-p-text(Open Beckon)').click()
    await page.waitForFunction(`location.pathname === '/'`)
    await settled(page)
    await page.waitForSelector('main a[href="/settings/account"]')
    await shows('This sign-in has no password yet.')
  })

  await context.test(
    'three devices are there, the field has the focus, and Enter sends to them',
    async () => {
      await page.waitForFunction(`document.querySelectorAll('main [role=group]').length === 3`)
      await page.waitForFunction(`document.activeElement?.matches('main form input') === true`)
      await replaceText(page, 'main form input', text)
      await page.keyboard.press('Enter')
      await shows('3 sent · 3 seen · 0 tapped')
    },
  )

  await context.test('a tap on one of them is counted, on the page and among the receipts', async () => {
    await page.locator('main [data-state=shown] button').click()
    await shows('3 sent · 3 seen · 1 tapped')
    const { virtual_devices: devices } = await read(page, '/api/v1/virtual-devices')
    const messages = Object(devices).flatMap((device: object) => Object(device).messages)
    const tapped = messages.filter(
      (message: object) => Object(message).state === 'clicked' && Object(message).message === text,
    )
    assert.equal(tapped.length, 1)
    const path = `/api/v1/notifications/${String(tapped[0].message_id)}/receipts`
    await until(async () => Object((await read(page, path))['receipts']).clicked === 1, {
      what: 'the tap among the receipts',
    })
  })

  assert.deepEqual(problems, [])
}

/** Reads from the API with the session of the page. */
async function read(page: Page, path: string): Promise<Readonly<Record<string, unknown>>> {
  const headers = JSON.stringify({ 'x-brand-id': 'demo' })
  const reply: unknown = await page.evaluate(
    `fetch(${JSON.stringify(path)}, { headers: ${headers} }).then((reply) => reply.json())`,
  )
  return Object(reply)
}
