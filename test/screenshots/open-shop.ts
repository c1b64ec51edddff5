import type { TestContext } from 'node:test'
import type { Page } from 'puppeteer-core'
import { openPage, startPlainChromium } from '../support/browser/plain-chromium.ts'
import { settled } from '../support/dashboard/dashboard.ts'
import { freshFolder, startBeckon } from '../support/processes/beckon.ts'
import { pagesOf } from './pages.ts'
import { seedShop } from './seed.ts'

/** A page that is signed in, and the addresses of all pages by their names. */
export type OpenShop = { readonly page: Page; readonly addresses: Readonly<Record<string, string>> }

/** Starts a Beckon, fills it with the shop "Leaf & Kettle", and signs its owner in with a real Chromium. */
export async function openShop(context: TestContext): Promise<OpenShop> {
  const folder = await freshFolder(context)
  const beckon = await startBeckon(context, { BECKON_DATA_DIR: folder, BECKON_SANDBOX: 'on' })
  const [key = ''] = /bk_secret_[\w-]{40,}/.exec(beckon.stdout()) ?? []
  const [link = ''] = /^ *(http\S+\/auth\/link\/\S+)$/m.exec(beckon.stdout())?.slice(1) ?? []
  const places = await seedShop({ url: beckon.url, key })
  const { page } = await openPage(await startPlainChromium(context))
  await signIn(page, link)
  const { origin } = new URL(page.url())
  const addresses = Object.entries(pagesOf(places)).map(([name, path]) => [name, `${origin}${path}`] as const)
  return { page, addresses: Object.fromEntries(addresses) }
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
