import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { axeFindings, setTheme, settled, startDashboard } from '../support/dashboard/dashboard.ts'
import { call, keyHeaders } from '../support/processes/server.ts'
import { PASSWORD } from '../support/team/members.ts'

const MARKUP = '<img src=x onerror="document.title=1">'
const SECTIONS = ['brand', 'channels', 'keys', 'members', 'topics', 'webhooks', 'audit', 'account']

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
      `document.querySelector('table')?.innerText.includes('member:${owner.memberId}')`,
    )
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
  await page.locator(`::-p-aria([name="${label}"][role="textbox"])`).fill(value)
}

async function press(page: Page, name: string): Promise<void> {
  await page.locator(`main ::-p-aria([name="${name}"][role="button"])`).click()
}
