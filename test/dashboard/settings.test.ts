import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { loadKeptBrand } from '../../src/store/brand/brands.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { axeFindings, setTheme, settled, startDashboard } from '../support/dashboard/dashboard.ts'
import { replaceText } from '../support/dashboard/replace-text.ts'
import { call, keyHeaders } from '../support/processes/server.ts'
import { PASSWORD } from '../support/team/members.ts'
import { until } from '../support/until.ts'

const MARKUP = '<img src=x onerror="document.title=1">'
const SECOND = `second.${randomUUID()}`
const SECTIONS = ['brand', 'channels', 'keys', 'members', 'topics', 'webhooks', 'audit', 'brands', 'account']

test('the pages of settings', { skip: whyNoBrowsers() }, async (context) => {
  const { server, brand, signIn } = await startDashboard(context)
  const headers = keyHeaders(brand)
  const read = async (path: string) => (await call(server.port, { path, headers })).body
  const owner = await signIn()
  const { page } = owner

  await context.test('a change of the brand is saved, and nothing else with it', async () => {
    await owner.open('/settings/brand')
    await fill(page, 'Name', 'Leaf & Kettle')
    await fill(page, 'Messages for a person in a day', '3')
    await press(page, 'Save')
    await page.waitForFunction(`document.body.innerText.includes('Saved.')`)
    const { brand: stored } = await read('/api/v1/brand')
    assert.equal(Object(stored).name, 'Leaf & Kettle')
    assert.equal(Object(stored).frequency_cap, 3)
  })

  await context.test('a new key is shown once, works, and is revoked', async () => {
    await owner.open('/settings/keys')
    await fill(page, 'Purpose', MARKUP)
    await press(page, 'Make the key')
    await page.waitForSelector('[role=status] code')
    const key = String(await page.$eval('[role=status] code', ({ textContent }) => textContent))
    const bearer = { authorization: `Bearer ${key}` }
    assert.equal((await call(server.port, { path: '/api/v1/brand', headers: bearer })).status, 200)
    await page.waitForFunction(`document.querySelector('table')?.innerText.includes('<img')`)
    assert.equal(await page.$('img'), null)
    await page.locator('tr ::-p-text(Revoke)').click()
    await page.locator('tr ::-p-text(Revoke for good)').click()
    await page.waitForFunction(`document.querySelector('table')?.innerText.includes('Revoked')`)
  })

  await context.test('an old sign-in is asked for the password before a member is invited', async () => {
    await server.asOwner(`update member_sessions set confirmed_at = now() - interval '2 days'`)
    server.server.forgetKeys()
    await owner.open('/settings/members')
    await fill(page, 'E-mail address', 'grace@shop.example')
    await press(page, 'Invite')
    await page.waitForSelector('[role=dialog] input[type=password]')
    await page.type('[role=dialog] input[type=password]', PASSWORD)
    assert.deepEqual(await axeFindings(page), [])
    await page.locator('[role=dialog] button[type=submit]').click()
    await page.waitForFunction(`document.body.innerText.includes('/auth/link/')`)
  })

  await context.test('a topic is made, and the audit log tells who did all this', async () => {
    await owner.open('/settings/topics')
    await fill(page, 'Title for people', 'Offers')
    await fill(page, 'Name in calls', 'offers')
    await press(page, 'Make the topic')
    await page.waitForFunction(`document.querySelector('table')?.innerText.includes('offers')`)
    await owner.open('/settings/audit')
    await page.waitForFunction(
      `document.querySelector('table [title="member:${owner.memberId}"]')?.innerText === 'Grace'`,
    )
  })

  await context.test('an administrator makes, renames, deletes and restores a brand', async () => {
    await server.asOwner(`update members set is_administrator = true where id = '${owner.memberId}'`)
    server.server.forgetKeys()
    await owner.open('/settings/brands')
    await fill(page, 'Name', MARKUP)
    await fill(page, 'Id in calls', SECOND)
    await press(page, 'Make the brand')
    await row(page, SECOND, 'Rename').click()
    await fill(page, `Name of ${SECOND}`, 'Second shop')
    await press(page, 'Save')
    await page.waitForFunction(`document.querySelector('table')?.innerText.includes('Second shop')`)
    await row(page, SECOND, 'Delete').click()
    await press(page, 'Stop and delete Second shop')
    await row(page, SECOND, 'Restore').wait()
    const stored = async () => loadKeptBrand(server.deps.database, SECOND)
    assert.notEqual((await stored())?.restorableUntil, null)
    await row(page, SECOND, 'Restore').click()
    await row(page, SECOND, 'Open').wait()
    assert.equal((await stored())?.restorableUntil, null)
  })

  await context.test('the brand menu switches calls, live stream and addresses to a brand', async () => {
    const asked: string[] = []
    page.on('request', (request) => {
      const path = request.url().slice(request.url().indexOf('/', 9))
      const isOfBrand = path.startsWith('/api/') && !path.startsWith('/api/v1/me')
      if (isOfBrand) asked.push(request.headers()['x-brand-id'] ?? path)
    })
    await page.locator('nav button[aria-haspopup=menu]').click()
    await page.locator('[role=menuitem] ::-p-text(Second shop)').click()
    await page.waitForFunction(
      `location.search === '?brand=${SECOND}' && document.querySelector('nav button')?.innerText === 'Second shop'`,
    )
    asked.length = 0
    await page.locator('nav a ::-p-text(Messages)').click()
    await page.waitForFunction(`location.href.endsWith('/messages?brand=${SECOND}')`)
    await settled(page)
    await page.reload()
    await until(() => asked.some((path) => path.startsWith('/api/v1/live')), { what: 'a live stream' })
    const others = asked.filter((name) => name !== SECOND && !name.includes(`brand=${SECOND}`))
    assert.deepEqual(others, [])
    // A link leads a colleague, or another tab, to the brand that it names.
    await owner.open(`/settings/brand?brand=${brand.externalId}`)
    await page.waitForFunction(`document.querySelector('nav button')?.innerText === 'Leaf & Kettle'`)
  })

  await context.test('nothing of WCAG A, AA or best practice is broken, in both themes', async () => {
    for (const section of SECTIONS) {
      await owner.open(`/settings/${section}`)
      for (const theme of ['light', 'dark'] as const) {
        await setTheme(page, theme)
        assert.deepEqual(await axeFindings(page), [], `${section} ${theme}`)
      }
    }
  })

  await context.test('an analyst reads the brand, changes nothing, and sees no members', async () => {
    const analyst = await signIn('analyst')
    await analyst.open('/settings/brand')
    await settled(analyst.page)
    const text = String(await analyst.page.evaluate('document.body.innerText'))
    assert.ok(!text.includes('Members'), text)
    assert.equal(await analyst.page.$('main button[type=submit]'), null)
    assert.deepEqual(analyst.problems, [])
  })

  assert.deepEqual(
    owner.problems.filter((problem) => !problem.includes('403')),
    [],
  )
})

/** Fills the field with this label. */
async function fill(page: Page, label: string, value: string): Promise<void> {
  await replaceText(page, `::-p-aria([name="${label}"][role="textbox"])`, value)
}

/** A button in the row of the table that has this text. */
function row(page: Page, text: string, name: string) {
  return page.locator(
    `::-p-xpath(//tr[contains(., "${text}")]//*[(self::button or self::a) and .="${name}"])`,
  )
}

async function press(page: Page, name: string): Promise<void> {
  await page.locator(`main ::-p-aria([name="${name}"][role="button"])`).click()
}
