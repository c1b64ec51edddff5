import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { Client } from '../../web/client/client.ts'
import { startChromium } from '../support/browser/chromium.ts'
import { startDesktop } from '../support/browser/desktop.ts'
import { newPage } from '../support/browser/launch.ts'
import { startPlace } from '../support/browser/place.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { startShop } from '../support/browser/shop.ts'
import { endWith } from '../support/processes/beckon.ts'

/** More than one batch of the outbox. */
const EVENTS = 60

test('a page that Beckon refuses is told why', {
  skip: whyNoBrowsers(),
}, async (context) => {
  const place = await startPlace(context)
  const api = place.beckon.url
  const { publishableKey, secretKey } = await place.newBrand()
  const desktop = await startDesktop()
  endWith(context, desktop.close)
  const { browser, allowNotifications } = await startChromium({ ...place, desktop })
  endWith(context, async () => browser.close())

  const cases = {
    'a mistyped key': ['bk_public_mistyped', /^beckon: No valid API key\. The key of this page is mistyped/],
    'an origin that is not allowed': [
      publishableKey,
      /^beckon: Pages of the origin http:\/\/localhost:\d+ may not/,
    ],
    'a secret key': [secretKey, /^beckon: This is a secret key.*Revoke it now/],
  } as const
  for (const [name, [key, reason]] of Object.entries(cases)) {
    await context.test(`${name}: one line on the console, and every promise rejects`, async (inner) => {
      const origin = await startShop(inner, { api, key })
      await allowNotifications(origin)
      const page = await newPage(browser)
      const seen = watch(page)
      await page.goto(origin)
      await page.evaluate(`beckon('consent', 'granted')`)
      const reasons = await reasonsOf(page, EVENTS)
      assert.equal(reasons.length, EVENTS + 1)
      for (const one of reasons) assert.match(one, reason)
      assert.equal(seen.warnings.length, 1)
      assert.match(seen.warnings.join(), reason)
      assert.deepEqual(seen.blocked, [])
      await page.close()
    })
  }

  await context.test('a push service that does not answer: subscribe rejects', async (inner) => {
    const brand = await place.newBrand()
    const origin = await startShop(inner, { api, key: brand.publishableKey })
    const beckon = new Client({ url: api, key: brand.secretKey })
    await beckon.call('PATCH /api/v1/brand', { body: { allowed_origins: [origin] } })
    await beckon.close()
    await allowNotifications(origin)
    const page = await newPage(browser)
    await page.evaluateOnNewDocument(SILENT_PUSH_SERVICE)
    await page.goto(origin)
    await page.evaluate(`beckon('consent', 'granted')`)
    const [reason] = await reasonsOf(page, 0)
    assert.equal(reason, 'beckon: the push service does not answer')
  })
})

/** As in a browser that cannot reach its push service; a wait of half a minute is over at once. */
const SILENT_PUSH_SERVICE = `{
  PushManager.prototype.subscribe = () => new Promise(() => {})
  const wait = setTimeout
  globalThis.setTimeout = (work, ms, ...rest) => wait(work, ms === 30000 ? 0 : ms, ...rest)
}`

/** The lines of the SDK on the console, and the requests whose reply the browser kept from the page. */
function watch(page: Page): { readonly warnings: string[]; readonly blocked: string[] } {
  const seen = { warnings: Array.of<string>(), blocked: Array.of<string>() }
  page.on('console', (line) => {
    if (line.text().startsWith('beckon: ')) seen.warnings.push(line.text())
  })
  page.on('requestfailed', (request) => seen.blocked.push(request.url()))
  return seen
}

/** Why each of these events was refused, and a subscription. */
async function reasonsOf(page: Page, events: number): Promise<readonly string[]> {
  const reasons: unknown = await page.evaluate(
    `Promise.allSettled([
      ...Array.from({ length: ${events} }, (_, at) => beckon('event', 'seen_' + at)),
      beckon('subscribe', { prompt: 'native' }),
    ]).then((settled) => settled.map(({ reason }) => String(reason?.message)))`,
  )
  return Array.isArray(reasons) ? reasons.map(String) : []
}
