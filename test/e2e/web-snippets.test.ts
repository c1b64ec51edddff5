import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadScripts } from '../../src/http/pages/load-scripts.ts'
import { openPage, startPlainChromium } from '../support/browser/plain-chromium.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { startSite } from '../support/browser/site.ts'
import type { TestBrand } from '../support/database/database.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { until } from '../support/until.ts'

const HOME = join(import.meta.dirname, '../..')
const PAGES = globSync(['README.md', 'docs/*.md'], { cwd: HOME })
const HTML = PAGES.flatMap((page) => blocksOf(page, 'html').map((text) => ({ page, text })))
const WORKERS = PAGES.flatMap((page) => blocksOf(page, 'js')).filter((text) => text.includes('importScripts'))
const MODULES = PAGES.flatMap((page) => [...read(page).matchAll(/`(import \{[^`]+\/sdk\.mjs')`/g)]).map(
  ([, line = '']) => line,
)

test('every snippet for pages in the README and the docs runs in a browser', {
  skip: whyNoBrowsers(),
}, async (context) => {
  assert.deepEqual(
    [HTML.map(({ page }) => page).toSorted(), WORKERS.length, MODULES.length],
    [['README.md', 'docs/web-sdk.md'], 1, 1],
  )
  const server = await startServer({ deps: { scripts: await loadScripts() } })
  context.after(server.close)
  const api = `http://127.0.0.1:${server.port}`
  const browser = await startPlainChromium(context)
  const heads = [
    ...HTML.map(({ page, text }) => [page, text] as const),
    ...MODULES.map((line) => ['the module', `<script type="module">${line}\n${INIT}</script>`] as const),
  ]
  for (const [name, head] of heads) {
    await context.test(name, async (inner) => {
      const brand = await server.brand()
      const filled = (text: string): string =>
        text
          .replaceAll(/https:\/\/push\.example\.com|http:\/\/127\.0\.0\.1:8080/g, api)
          .replaceAll(/bk_public_(?:\.\.\.|…)/g, brand.publishableKey)
      const origin = await startSite(inner, {
        pages: {
          '/sw.js': ['text/javascript', filled(WORKERS.join(''))],
          '/favicon.ico': ['image/x-icon', ''],
        },
        page: () => `<!doctype html><html lang="en"><head><title>Shop</title>${filled(head)}</head></html>`,
      })
      const allow = { allowed_origins: [origin] }
      await call(server.port, {
        method: 'PATCH',
        path: '/api/v1/brand',
        headers: keyHeaders(brand),
        body: allow,
      })
      const { page, problems } = await openPage(browser)
      await page.goto(origin)
      const wanted = [
        'page_viewed',
        ...[...head.matchAll(/beckon\('event', '(\w+)'/g)].map(([, event]) => event),
      ]
      await until(async () => isSubset(wanted, await eventsOf(server.port, brand)), { what: wanted.join() })
      const worker = await page.evaluate(
        `navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready).then((one) => one.active !== null)`,
      )
      assert.equal(worker, true)
      assert.deepEqual(problems, [])
      await page.close()
    })
  }
})

const INIT = `beckon('init', { key: 'bk_public_...' })`

function blocksOf(page: string, language: string): readonly string[] {
  const fence = new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^ *\`\`\`$`, 'gm')
  return [...read(page).matchAll(fence)].map(([, , text = '']) => text)
}

function read(page: string): string {
  return readFileSync(join(HOME, page), 'utf8')
}

async function eventsOf(port: number, brand: TestBrand): Promise<readonly string[]> {
  const { body } = await call(port, { path: '/api/v1/events', headers: keyHeaders(brand) })
  const events: readonly { readonly event_name: string }[] = Object(body['events'] ?? [])
  return events.map(({ event_name }) => event_name)
}

function isSubset(some: readonly unknown[], all: readonly unknown[]): boolean {
  return some.every((one) => all.includes(one))
}
