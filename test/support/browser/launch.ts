import { type Browser, type BrowserContext, type LaunchOptions, launch, type Page } from 'puppeteer-core'

/** A machine with other tests on it can keep a page waiting for longer than the half minute of the library. */
const PATIENCE_MS = 5 * 60_000

export async function launchBrowser(options: LaunchOptions): Promise<Browser> {
  return launch({ timeout: PATIENCE_MS, protocolTimeout: PATIENCE_MS, ...options })
}

export async function newPage(place: Browser | BrowserContext): Promise<Page> {
  const page = await place.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  return page
}
