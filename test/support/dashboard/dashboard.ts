import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { TestContext } from 'node:test'
import type { Browser, Page } from 'puppeteer-core'
import { inviteMember } from '../../../src/intake/team/members.ts'
import type { TeamRole } from '../../../src/rules/team.ts'
import { newPage } from '../browser/launch.ts'
import { startPlainChromium } from '../browser/plain-chromium.ts'
import type { TestBrand } from '../database/database.ts'
import { endWith } from '../processes/beckon.ts'
import { findQuietPort } from '../processes/quiet-port.ts'
import { call, type RunningServer, startServer, type TestServerOptions } from '../processes/server.ts'
import { PASSWORD } from '../team/members.ts'

/** A server with the real dashboard, and one Chromium for all members of the test. */
export type DashboardTest = {
  readonly server: RunningServer
  readonly url: string
  readonly browser: Browser
  readonly brand: TestBrand
  /** A tab of a new member, signed in, with a cookie jar of its own. */
  readonly signIn: (role?: TeamRole) => Promise<DashboardTab>
}

export type DashboardTab = {
  readonly page: Page
  readonly email: string
  readonly memberId: string
  /** Errors in the console or the page, broken content policies included. Empty at the end of a good test. */
  readonly problems: string[]
  /** Opens a page of the dashboard and waits until nothing is loading any more. */
  readonly open: (path: string) => Promise<void>
}

export async function startDashboard(
  context: TestContext,
  settings: TestServerOptions = {},
): Promise<DashboardTest> {
  // Passkeys belong to an address with its port, which the server must know before it listens. Some tests also stop it for a while.
  const server = await startServer({ ...settings, publicUrl: null, port: await findQuietPort() })
  endWith(context, async () => server.close())
  const browser = await startPlainChromium(context)
  const url = `http://localhost:${server.port}`
  const brand = await server.brand()
  const signIn = async (role: TeamRole = 'owner'): Promise<DashboardTab> =>
    openTab({ server, url, browser, brand }, role)
  return { server, url, browser, brand, signIn }
}

async function openTab(
  { server, url, browser, brand }: Omit<DashboardTest, 'signIn'>,
  role: TeamRole,
): Promise<DashboardTab> {
  const email = `${randomUUID()}@example.com`
  const { database, clock } = server.deps
  const { brandId } = brand
  const invited = await inviteMember(database, { brandId, email, name: 'Grace', role, now: clock.now() })
  assert.ok(invited.ok && invited.value.link !== null)
  const jar = await browser.createBrowserContext()
  const page = await newPage(jar)
  await page.setViewport({ width: 1360, height: 800 })
  const problems = watch(page)
  const session = await useLink(server.port, { url, token: invited.value.link.token })
  await jar.setCookie({ ...session, domain: 'localhost', path: '/', httpOnly: true, sameSite: 'Lax' })
  const open = async (path: string): Promise<void> => {
    await page.goto(`${url}${path}`)
    await settled(page)
  }
  return { page, email, memberId: invited.value.member.id, problems, open }
}

/** Redeems the link by HTTP, because a form in the browser costs a second; the sign-in page has a test of its own. */
async function useLink(
  port: number,
  { url, token }: { readonly url: string; readonly token: string },
): Promise<{ readonly name: string; readonly value: string }> {
  const answer = await call(port, {
    method: 'POST',
    path: `/auth/link/${token}`,
    headers: { origin: url, host: new URL(url).host, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ password: PASSWORD }).toString(),
  })
  const cookies = [answer.headers['set-cookie'] ?? []].flat()
  const pair = cookies.find((cookie) => cookie.startsWith('beckon.session_token='))?.split('; ')[0] ?? ''
  assert.notEqual(pair, '', `no session: ${answer.status} ${answer.text}`)
  const [name = '', ...value] = pair.split('=')
  return { name, value: value.join('=') }
}

function watch(page: Page): string[] {
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  return problems
}

/** Waits until the page shows its title and no skeleton. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    `document.querySelector('h1') !== null && document.querySelector('[role=status][aria-label]') === null`,
  )
}

const AXE_FILE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** The findings of axe against WCAG 2.2 A and AA and best practice, one line each; empty when all is well. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  // A piece that is just fading in has too little contrast for a moment.
  await page.evaluate(STILL)
  // A string is evaluated through the debugger, which the content policy of the page does not bind.
  await page.evaluate(await readFile(AXE_FILE, 'utf8'))
  const found: unknown = await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a','wcag2aa','wcag21a','wcag21aa','wcag22aa','best-practice'] })
      .then(({ violations }) => violations.map(({ id, help, nodes }) => id + ': ' + help + ' ' + nodes.slice(0, 3).map(({ html }) => html).join(' ')))`,
  )
  return Array.isArray(found) ? found.map(String) : [String(found)]
}

const STILL = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished)).then(() => true)`

/** Switches between the light and the dark theme as the system would. */
export async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }])
}
