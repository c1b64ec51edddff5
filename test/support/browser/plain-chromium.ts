import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Browser, Page } from 'puppeteer-core'
import { endWith } from '../processes/beckon.ts'
import { CHROMIUM } from './chromium.ts'
import { launchBrowser, newPage } from './launch.ts'

/** Chromium with an empty profile and no push service. */
export async function startPlainChromium(context: TestContext): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'beckon-chromium-'))
  endWith(context, async () => rm(profile, { recursive: true, force: true, maxRetries: 10 }))
  const browser = await launchBrowser({
    executablePath: CHROMIUM,
    userDataDir: profile,
    args: ['--no-sandbox', '--disable-gpu'],
  })
  endWith(context, async () => browser.close())
  return browser
}

/** A new page, and what goes wrong on it. */
export async function openPage(
  browser: Browser,
): Promise<{ readonly page: Page; readonly problems: string[] }> {
  const page = await newPage(browser)
  await page.setViewport({ width: 1280, height: 800 })
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  return { page, problems }
}
