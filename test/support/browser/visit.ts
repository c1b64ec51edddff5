import type { TestContext } from 'node:test'
import type { Page } from 'puppeteer-core'
import { Client } from '../../../web/client/client.ts'
import { endWith } from '../processes/beckon.ts'
import { type FaultyProxy, startFaultyProxy } from '../processes/faulty-proxy.ts'
import type { BrowserPlace, RunningBrowser } from './browser.ts'
import { type Desktop, startDesktop } from './desktop.ts'
import { newPage } from './launch.ts'
import type { Place } from './place.ts'
import { startShop } from './shop.ts'

/** A person's first visit to a shop that uses Beckon, and the shop's own view of Beckon. */
export type Visit = RunningBrowser & {
  readonly desktop: Desktop
  readonly origin: string
  readonly page: Page
  /** The proxy between the browser and Beckon. */
  readonly proxy: FaultyProxy
  readonly beckon: Client
}

export async function visitShop(
  context: TestContext,
  place: Place,
  start: (place: BrowserPlace) => Promise<RunningBrowser>,
): Promise<Visit> {
  const brand = await place.newBrand()
  const beckon = new Client({ url: place.beckon.url, key: brand.secretKey })
  endWith(context, async () => beckon.close())
  const proxy = await startFaultyProxy(context, Number(new URL(place.beckon.url).port))
  const origin = await startShop(context, { api: proxy.url, key: brand.publishableKey })
  await beckon.call('PATCH /api/v1/brand', {
    body: { allowed_origins: [origin], identity_verification: false },
  })
  const desktop = await startDesktop()
  endWith(context, desktop.close)
  const running = await start({ ...place, desktop })
  endWith(context, async () => running.browser.close())
  const page = await newPage(running.browser)
  await page.goto(`${origin}/welcome?utm_source=letter`)
  return { ...running, desktop, origin, page, proxy, beckon }
}
