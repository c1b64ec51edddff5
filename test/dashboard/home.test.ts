import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { axeFindings, setTheme, settled, startDashboard } from '../support/dashboard/dashboard.ts'
import { replaceText } from '../support/dashboard/replace-text.ts'
import { catchUp } from '../support/events/counting.ts'
import { memoryLog } from '../support/memory-log.ts'
import { call, keyHeaders } from '../support/processes/server.ts'
import { RECEIPTS, runPushLane, SEALER } from '../support/push/engine.ts'
import { openSandboxDesk } from '../support/push/sandbox-desk.ts'

const MARKUP = '<img src=x onerror="document.title=1">'

test('the first page', { skip: whyNoBrowsers() }, async (context) => {
  const desk = await openSandboxDesk()
  context.after(desk.close)
  const deps = { sandbox: desk.deps, receipts: RECEIPTS, sealer: SEALER }
  const { server, brand, signIn } = await startDashboard(context, { deps })
  context.after(runPushLane(server.deps.database, desk.access, memoryLog()))
  const headers = keyHeaders(brand)
  const post = async (path: string, body: object) => call(server.port, { path, headers, body })
  const owner = await signIn()
  const { page } = owner
  const shows = async (text: string) =>
    page.waitForFunction(`document.querySelector('main').textContent.includes(${JSON.stringify(text)})`)

  await context.test('first run: a message is sent to drawn devices, seen, tapped and counted', async () => {
    await owner.open('/')
    await page.waitForFunction(`document.activeElement?.tagName === 'INPUT'`)
    await page.locator('button ::-p-text(Add three devices)').click()
    await page.waitForFunction(`document.querySelectorAll('main [role=group]').length === 3`)
    await replaceText(page, 'main form input', MARKUP)
    await page.keyboard.press('Enter')
    await shows('3 sent · 3 seen · 0 tapped')
    await page.locator('main [data-state=shown] button').click()
    await shows('3 sent · 3 seen · 1 tapped')
    assert.equal(await page.$('img'), null)
  })

  await context.test('the snippet has the key in it, and the steps tick themselves', async () => {
    await page.locator('button ::-p-text(Make a key for my site)').click()
    await shows("key: 'bk_public_")
    await post('/api/event', {
      nv: [{ userID: 'u-1001', event_name: 'purchase', ltv: '12.90', attributes: { tea: 'Sencha' } }],
    })
    await catchUp(server.deps.database, brand.brandId)
    await shows('The first event arrived')
    await post('/api/v1/subscriptions', { platform: 'android', token: 'a'.repeat(40), user_id: 'u-1001' })
    await shows('The first device is here')
    await page.waitForFunction(`[...document.querySelectorAll('ol[aria-label^="Events"] li')]
      .some((bar) => bar.getBoundingClientRect().height > 1 && bar.title.endsWith(' 1'))`)
  })

  await context.test(
    'a minute with an event leads to that event, and so does the number of today',
    async () => {
      for (const link of ['ol[aria-label^="Events"] li[title$=" 1"] a', 'dl a[href^="/events/rows?from="]']) {
        await page.locator(`main ${link}`).click()
        await page.waitForFunction(`location.pathname === '/events/rows'`)
        await shows('u-1001')
        await page.waitForFunction(`document.querySelectorAll('main ol[aria-label] > li').length === 1`)
        await owner.open('/')
      }
    },
  )

  await context.test('the number of opt-outs leads to the people', async () => {
    const body = { userID: 'u-1001', opt_outs: ['*'] }
    await call(server.port, { method: 'PUT', path: '/api/v1/user/preferences', headers, body })
    await page.locator('main a[href="/people?show=opted-out&since=today"]').click()
    await page.waitForSelector('main td a[href="/people/u-1001"]')
    await shows('Everything')
    assert.deepEqual(await axeFindings(page), [])
    await owner.open('/')
  })

  await context.test('what needs somebody is told with its cause and its button', async () => {
    const refused = await post('/api/event', { nv: [{ userID: 'u-1001' }] })
    assert.notEqual(refused.status, 500, refused.text)
    await shows('1 entry was refused')
    await shows('1 thing needs you')
    const link = await page.$eval('main a[href="/events/refused"]', ({ textContent }) => textContent)
    assert.equal(link, 'See them and the fix')
  })

  await context.test('nothing of WCAG A, AA or best practice is broken, in both themes', async () => {
    for (const theme of ['light', 'dark'] as const) {
      await setTheme(page, theme)
      await owner.open('/')
      await page.waitForSelector('main [role=group]')
      await shows('needs you')
      assert.deepEqual(await axeFindings(page), [], theme)
    }
  })

  await context.test('⌘K finds a person and leads there, and ? shows the keys', async () => {
    await post('/api/v1/user/create', { nv: [{ userID: 'u-1002', user_attributes: { name: MARKUP } }] })
    await page.keyboard.down('Control')
    await page.keyboard.press('k')
    await page.keyboard.up('Control')
    await replaceText(page, '[role=dialog] input', 'u-1002')
    await page.waitForFunction(`document.querySelector('[role=dialog]').textContent.includes('onerror')`)
    assert.deepEqual(await axeFindings(page), [])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`location.pathname === '/people/u-1002'`)
    await settled(page)
    await page.waitForSelector('[role=dialog]', { hidden: true })
    // The field of the finder has the focus until the finder has faded out, and a sign that is typed there is text.
    await page.waitForFunction(`document.activeElement?.matches('input, textarea, select') !== true`)
    await page.keyboard.type('?')
    await page.waitForFunction(`document.querySelectorAll('[role=dialog] kbd').length > 10`)
  })

  await context.test('a session that is revoked leads to the sign-in, on any page', async () => {
    const other = await signIn('analyst')
    await other.open('/')
    await settled(other.page)
    await server.asOwner(`delete from member_sessions where member_id = '${other.memberId}'`)
    await other.page.waitForFunction(`location.pathname === '/sign-in'`)
  })

  assert.deepEqual(owner.problems, [])
})
