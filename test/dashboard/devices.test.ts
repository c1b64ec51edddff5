import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPage } from '../support/browser/launch.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { axeFindings, setTheme, startDashboard } from '../support/dashboard/dashboard.ts'
import { replaceText } from '../support/dashboard/replace-text.ts'
import { memoryLog } from '../support/memory-log.ts'
import { call, keyHeaders } from '../support/processes/server.ts'
import { RECEIPTS, runPushLane, SEALER } from '../support/push/engine.ts'
import { openSandboxDesk } from '../support/push/sandbox-desk.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { untilWorked } from '../support/until-worked.ts'

const MARKUP = '<img src=x onerror="document.title=1">'

const ROWS = 1000

test('the page of devices', { skip: whyNoBrowsers() }, async (context) => {
  const desk = await openSandboxDesk()
  context.after(desk.close)
  const deps = { sandbox: desk.deps, receipts: RECEIPTS, sealer: SEALER }
  const { server, brand, signIn } = await startDashboard(context, { deps })
  const log = memoryLog()
  context.after(runPushLane(server.deps.database, desk.access, log))
  const headers = keyHeaders(brand)
  const post = async (path: string, body: object) => call(server.port, { path, headers, body })
  const owner = await signIn()
  const { page } = owner

  await context.test('a device is added with a name and a person, and drawn', async () => {
    await owner.open('/devices')
    await page.locator('button ::-p-text(Add a device)').click()
    await page.locator('[role=dialog] select').fill('android')
    await replaceText(page, '[role=dialog] input[maxlength="100"]', MARKUP)
    await replaceText(page, '[role=dialog] input:not([maxlength])', 'ada')
    assert.deepEqual(await axeFindings(page), [])
    await page.locator('[role=dialog] button[type=submit]').click()
    await page.waitForSelector('[role=dialog]', { hidden: true })
    await page.waitForSelector('main [role=group]')
    const label = await page.$eval('main [role=group]', (device) => device.getAttribute('aria-label'))
    assert.equal(label, MARKUP)
  })

  await context.test('a message by the API appears on it, and a tap on it is counted', async () => {
    const sent = await post('/api/v1/android/send', { user_id: 'ada', title: MARKUP, message: 'Two parcels' })
    assert.equal(sent.status, 200, sent.text)
    await page.waitForSelector('main [role=group] [data-state=shown]')
    const text = String(await page.$eval('main [role=group] li', ({ textContent }) => textContent))
    assert.ok(text.includes(MARKUP) && text.includes('Two parcels'), text)
    await page.locator('main [role=group] li button').click()
    await page.waitForSelector('main [role=group] [data-state=clicked]')
    const id = String(Object(sent.body['notification']).id)
    await untilWorked(
      async () => {
        const { body } = await call(server.port, { path: `/api/v1/notifications/${id}/receipts`, headers })
        return Object(body['receipts']).clicked === 1
      },
      { lines: log.lines },
    )
  })

  await context.test('a second tab shows it too, in the drawer, over the same stream', async () => {
    const second = await newPage(page.browserContext())
    await second.goto(page.url().replace('/devices', '/settings'))
    await second.locator('nav button[title="Virtual devices"]').click()
    await second.waitForSelector('[role=dialog] [data-state=clicked]')
    assert.deepEqual(await axeFindings(second), [])
    await post('/api/v1/android/send', { user_id: 'ada', title: 'Again', message: 'Three parcels' })
    // The first tab is in the background, where browsers draw nothing.
    for (const tab of [page, second])
      await tab.waitForFunction(`document.body.textContent.includes('Three parcels')`, { polling: 100 })
    await second.close()
    await page.bringToFront()
  })

  await context.test('the list of devices is filtered, and the address keeps the filters', async () => {
    await post('/api/v1/subscriptions', {
      platform: 'ios',
      token: 'a'.repeat(64),
      user_id: MARKUP,
      tags: ['vip'],
    })
    await owner.open('/devices?platform=ios')
    await page.waitForFunction(`document.querySelectorAll('tbody tr').length === 1`)
    const row = String(await page.$eval('tbody tr', ({ textContent }) => textContent))
    assert.ok(row.includes(MARKUP) && row.includes('vip'), row)
    await page.locator('main select').fill('android')
    await page.waitForFunction(`document.querySelector('tbody tr')?.textContent.includes('virtual')`)
    assert.equal(new URL(page.url()).searchParams.get('platform'), 'android')
    assert.equal(await page.$('img'), null)
  })

  await context.test(
    'a long list scrolls, draws the rows in sight, and asks for each page once',
    async () => {
      await seedSubscriptions(server.deps.database, { brandId: brand.brandId, platform: 'web', count: ROWS })
      const asked: string[] = []
      page.on('request', (request) => {
        if (request.url().includes('/api/v1/subscriptions?')) asked.push(request.url())
      })
      await owner.open('/devices?platform=web')
      await page.waitForFunction(
        `(scrollTo(0, document.body.scrollHeight), document.querySelector('tr[aria-rowindex="${ROWS + 1}"]') !== null)`,
      )
      assert.ok(asked.length >= ROWS / 100 && asked.length <= ROWS / 100 + 1, `${asked.length} calls`)
      assert.equal(new Set(asked).size, asked.length)
      assert.ok((await page.$$('tbody tr')).length < 100)
      await page.evaluate('scrollTo(0, 0)')
      await page.waitForSelector('tr[aria-rowindex="2"] a, tr[aria-rowindex="2"] .faint')
      assert.ok(asked.length <= ROWS / 100 + 3, `${asked.length} calls`)
    },
  )

  await context.test('nothing of WCAG A, AA or best practice is broken, in both themes', async () => {
    for (const theme of ['light', 'dark'] as const) {
      await setTheme(page, theme)
      await owner.open('/devices')
      await page.waitForSelector('main [role=group]')
      assert.deepEqual(await axeFindings(page), [], theme)
    }
  })

  await context.test('a removed device comes back with one click', async () => {
    await owner.open('/devices')
    await page.waitForSelector('main [role=group]')
    await page.locator('main button[title^="Remove"]').click()
    await page.waitForFunction(`document.querySelector('main [role=group]') === null`)
    await page.locator('button ::-p-text(Undo)').click()
    await page.waitForSelector('main [role=group]')
    const label = await page.$eval('main [role=group]', (device) => device.getAttribute('aria-label'))
    assert.equal(label, MARKUP)
  })

  await context.test('an analyst sees the devices and may neither add nor remove one', async () => {
    const analyst = await signIn('analyst')
    await analyst.open('/devices')
    await analyst.page.waitForSelector('main [role=group]')
    const words = await analyst.page.$$eval('main button', (buttons) =>
      buttons.map((button) => button.textContent + (button.getAttribute('aria-label') ?? '')),
    )
    assert.ok(!words.some((word) => /Add a device|Remove/.test(word)), words.join())
    assert.deepEqual(analyst.problems, [])
  })

  assert.deepEqual(owner.problems, [])
})
