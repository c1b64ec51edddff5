/**
 * `npm run screenshots`: starts a Beckon with the shop "Leaf & Kettle" in it, and writes every page of the dashboard in
 * both themes and two widths to docs/screenshots. `npm run screenshots -- people journeys` writes only those.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { openPage, startPlainChromium } from '../support/browser/plain-chromium.ts'
import { setTheme, settled } from '../support/dashboard/dashboard.ts'
import { freshFolder, startBeckon } from '../support/processes/beckon.ts'
import { shrinkPng } from './png.ts'
import { type Places, seedShop } from './seed.ts'

const FOLDER = join(import.meta.dirname, '../../docs/screenshots')
const THEMES = ['light', 'dark'] as const
const SIZES = [
  { width: 1360, height: 850 },
  { width: 380, height: 800 },
] as const

/** The parts of the shop that a page can be about are known only once they are made. */
function pagesOf({ campaign, draft, person, segment, journey }: Places): Readonly<Record<string, string>> {
  return {
    home: '/',
    compose: `/compose/${draft}`,
    messages: '/messages',
    message: `/messages/campaign/${campaign}`,
    people: '/people',
    person: `/people/${person}`,
    segments: '/segments',
    segment: `/segments/${segment}`,
    journeys: '/journeys',
    journey: `/journeys/${journey}`,
    events: '/events',
    trend: '/events/trend',
    devices: '/devices',
    settings: '/settings',
    channels: '/settings/channels',
    account: '/settings/account',
  }
}

// The helpers that start a Beckon and a browser end them with a test, so the run is one.
await test('screenshots', async (context) => takeAll(context, process.argv.slice(2)))

async function takeAll(context: TestContext, wanted: readonly string[]): Promise<void> {
  const folder = await freshFolder(context)
  const beckon = await startBeckon(context, { BECKON_DATA_DIR: folder, BECKON_SANDBOX: 'on' })
  const [key = ''] = /bk_secret_[\w-]{40,}/.exec(beckon.stdout()) ?? []
  const [link = ''] = /^ *(http\S+\/auth\/link\/\S+)$/m.exec(beckon.stdout())?.slice(1) ?? []
  say('filling the shop')
  const places = await seedShop({ url: beckon.url, key })
  const { page } = await openPage(await startPlainChromium(context))
  await signIn(page, link)
  await mkdir(FOLDER, { recursive: true })
  const url = new URL(page.url()).origin
  for (const [name, path] of Object.entries(pagesOf(places)))
    if (wanted.length === 0 || wanted.includes(name)) await takePage(page, { name, address: `${url}${path}` })
}

async function signIn(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.locator('#email').fill('ada@leaf-and-kettle.example')
  await page.locator('#name').fill('Ada')
  await page.locator('#password').fill('a kettle that whistles')
  await page.locator('button ::-p-text(Set the password)').click()
  await page.waitForFunction(`location.pathname === '/'`)
  await settled(page)
}

async function takePage(
  page: Page,
  { name, address }: { readonly name: string; readonly address: string },
): Promise<void> {
  for (const { width, height } of SIZES) {
    await page.setViewport({ width, height })
    for (const theme of THEMES) {
      await setTheme(page, theme)
      await page.goto(address)
      await settled(page)
      // Fonts and numbers come a moment after the page. The live stream stays open, so one request may be under way.
      await page.waitForNetworkIdle({ idleTime: 400, concurrency: 1, timeout: 3_000 }).catch(() => undefined)
      const file = `${name}-${theme}-${width}.png`
      await writeFile(join(FOLDER, file), shrinkPng(await page.screenshot({ type: 'png' })))
      say(file)
    }
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
