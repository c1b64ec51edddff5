import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { HOME } from '../../src/config.ts'
import { loadDocs } from '../../src/http/pages/load-docs.ts'
import { openPage, startPlainChromium } from '../support/browser/plain-chromium.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { endWith } from '../support/processes/beckon.ts'
import { startServer } from '../support/processes/server.ts'

const AXE = readFileSync(join(HOME, 'node_modules/axe-core/axe.min.js'), 'utf8')
const PAGES = ['/docs', '/docs/api/keys', '/docs/guides/preferences']

test('the docs in a browser: search by keyboard, copy, old addresses, a narrow screen, and nothing for axe to find', {
  skip: whyNoBrowsers(),
}, async (context) => {
  const server = await startServer({ deps: { docs: await loadDocs() } })
  endWith(context, server.close)
  const origin = `http://127.0.0.1:${server.port}`
  const browser = await startPlainChromium(context)
  await browser
    .defaultBrowserContext()
    .overridePermissions(origin, ['clipboard-read', 'clipboard-sanitized-write'])
  const { page, problems } = await openPage(browser)

  await page.goto(`${origin}/docs`)
  await page.keyboard.press('/')
  await page.waitForSelector('dialog[open] input:focus')
  await page.keyboard.type('quiet hours')
  await page.waitForSelector('.finds a')
  assert.match(String(await page.$eval('.state', ({ textContent }) => textContent)), /^\d+ places$/)
  assert.deepEqual(await axe(page), [], 'the search')
  await page.keyboard.press('ArrowDown')
  await page.waitForSelector('.finds a:focus')
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
  assert.equal(page.url(), `${origin}/docs/guides/preferences#quiet-hours`)

  await page.focus('.code .copy')
  await page.keyboard.press('Enter')
  await page.waitForFunction(`document.querySelector('.copy').textContent === 'Copied'`)
  const copied = await page.evaluate('navigator.clipboard.readText()')
  assert.equal(copied, await page.$eval('.code code', ({ textContent }) => textContent))

  await page.goto('about:blank')
  await page.goto(`${origin}/docs#error-not_found`)
  await page.waitForFunction(`location.href === '${origin}/docs/api/errors#error-not_found'`)

  for (const value of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }])
    for (const path of PAGES) {
      await page.goto(origin + path)
      await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`)
      assert.deepEqual(await axe(page), [], `${path}, ${value}`)
    }
  }

  await page.setViewport({ width: 380, height: 800 })
  for (const path of PAGES) {
    await page.goto(origin + path)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 380, path)
  }
  assert.equal(await page.$eval('#contents', (nav) => nav.checkVisibility()), false)
  await page.click('.menu')
  assert.equal(await page.$eval('#contents', (nav) => nav.checkVisibility()), true)
  assert.deepEqual(problems, [])
})

/** The rules that the page breaks, of WCAG 2.2 A and AA and of best practice, each with the first place. */
async function axe(page: Page): Promise<unknown> {
  await page.evaluate(AXE)
  return page.evaluate(`axe
    .run({ resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html + ' ' + nodes[0].failureSummary))`)
}
