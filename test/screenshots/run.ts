/**
 * `npm run screenshots`: starts a Beckon with the shop "Leaf & Kettle" in it, and writes every page of the dashboard in
 * both themes and two widths to docs/screenshots. `npm run screenshots -- people journeys` writes only those.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { setTheme, settled } from '../support/dashboard/dashboard.ts'
import { openShop } from './open-shop.ts'
import { shrinkPng } from './png.ts'

const FOLDER = join(import.meta.dirname, '../../docs/screenshots')
const THEMES = ['light', 'dark'] as const
const SIZES = [
  { width: 1360, height: 850 },
  { width: 380, height: 800 },
] as const

/** Bars grow to their length; a pulse never ends, and is not waited for. */
const BARS_GROWN = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getTiming().iterations !== Infinity)
  .map(({ finished }) => finished))`

// The helpers that start a Beckon and a browser end them with a test, so the run is one.
await test('screenshots', async (context) => takeAll(context, process.argv.slice(2)))

async function takeAll(context: TestContext, wanted: readonly string[]): Promise<void> {
  say('filling the shop')
  const { page, addresses } = await openShop(context)
  await mkdir(FOLDER, { recursive: true })
  for (const [name, address] of Object.entries(addresses))
    if (wanted.length === 0 || wanted.includes(name)) await takePage(page, { name, address })
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
      await page.evaluate(BARS_GROWN)
      const file = `${name}-${theme}-${width}.png`
      await writeFile(join(FOLDER, file), shrinkPng(await page.screenshot({ type: 'png' })))
      say(file)
    }
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
