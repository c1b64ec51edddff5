import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Browser } from 'puppeteer-core'
import { endWith } from '../processes/beckon.ts'
import { FIREFOX } from './firefox.ts'
import { launchBrowser } from './launch.ts'

/** Firefox with an empty profile and no push service. */
export async function startPlainFirefox(context: TestContext): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'beckon-firefox-'))
  endWith(context, async () => rm(profile, { recursive: true, force: true, maxRetries: 10 }))
  const browser = await launchBrowser({
    browser: 'firefox',
    executablePath: FIREFOX,
    headless: true,
    userDataDir: profile,
  })
  endWith(context, async () => browser.close())
  return browser
}
