import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import { axeFindings, setTheme, startDashboard } from '../support/dashboard/dashboard.ts'
import { replaceText } from '../support/dashboard/replace-text.ts'
import { memoryLog } from '../support/memory-log.ts'
import { call, keyHeaders } from '../support/processes/server.ts'
import { RECEIPTS, runPushLane, SEALER } from '../support/push/engine.ts'
import { openSandboxDesk } from '../support/push/sandbox-desk.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

const HOSTILE = '<img src=x onerror="document.title=1"> Three first flushes arrived this morning.'

test('the page to compose a message', { skip: whyNoBrowsers() }, async (context) => {
  const desk = await openSandboxDesk()
  context.after(desk.close)
  const deps = { sandbox: desk.deps, receipts: RECEIPTS, sealer: SEALER }
  const { server, signIn, brand } = await startDashboard(context, { deps })
  const { database } = server.deps
  const { brandId } = brand
  const campaigns = new CampaignCalls(server)
  await seedSubscriptions(database, { brandId, platform: 'ios', userId: 'ada', count: 2 })
  await seedSubscriptions(database, { brandId, platform: 'android', userId: 'bea' })
  const people = { nv: [{ userID: 'ada', user_attributes: { first_name: 'Ada' } }] }
  const seeded = await call(server.port, {
    path: '/api/v1/user/create',
    headers: keyHeaders(brand),
    body: people,
  })
  assert.equal(seeded.status, 200)
  const owner = await signIn()
  const { page } = owner
  const newest = async (): Promise<JsonObject> => (await campaigns.list(brand))[0] ?? {}

  await context.test('two languages and the preview of a person, in the words of the server', async () => {
    await owner.open('/compose?person=ada')
    await press(page, 'button[contains(@aria-label, "into Title")]', '{ } Insert')
    await press(page, 'button[@role="menuitem"]', 'first_name Ada')
    await page.focus('#compose-title')
    await page.keyboard.press('End')
    await page.keyboard.type(', the autumn teas are here')
    await page.type('#compose-message', HOSTILE)
    await reach(page, 1)
    await says(page, 'figure', 'Ada, the autumn teas are here')
    await says(page, 'figure', HOSTILE)
    await press(page, 'label[contains(@class, "SegmentedControl")]', 'Android')
    await says(page, 'figcaption', 'Does not fit here in full.')
    await press(page, 'label', 'Expanded')
    await says(page, 'figcaption', 'Fits here in full.')
    assert.match(await page.evaluate('location.pathname').then(String), /^\/compose\/\d+$/)
    await choose(page, 'Add a language', 'French')
    await page.type('#compose-title', 'Les thés sont là')
    await says(page, 'figure', 'Les thés sont là')
    const languages: unknown = (await newest())['languages']
    assert.deepEqual(languages, { fr: { title: 'Les thés sont là' } })
  })

  await context.test('the numbers of people and of devices lead to them', async () => {
    for (const [at, rows] of [
      [0, 1],
      [1, 2],
    ] as const) {
      const links = await page.$$('[data-reach] a')
      await links[at]?.click()
      await page.waitForFunction(`document.querySelectorAll('#audience tbody tr').length === ${rows}`)
      assert.equal((await page.$$('#audience tbody a[href="/people/ada"]')).length, rows)
    }
    assert.deepEqual(await axeFindings(page), [])
    await press(page, 'a', 'Close')
    await page.waitForFunction(`document.querySelector('#audience') === null`)
  })

  await context.test(
    'the chain of checks for a person is green, and red where a rule stops the draft',
    async () => {
      await page.waitForSelector(link('approval', 'passed'))
      const optOut = async (optOuts: object) => {
        await database.query('update brands set has_opt_outs = true where id = $1', [brandId])
        await database.query('update profiles set opt_outs = $2 where brand_id = $1', [brandId, optOuts])
        await owner.open(`${await page.evaluate('location.pathname').then(String)}?person=ada`)
      }
      await optOut({ '*': '2026-05-01T10:00:00.000Z' })
      await page.waitForSelector(link('topic', 'failed'))
      await says(page, link('topic', 'failed'), 'The person has opted out of everything')
      await says(page, link('topic', 'failed'), 'Stopped here')
      await says(page, link('quiet_hours', 'not_reached'), 'Not reached')
      await press(page, 'a', '1 opted out of everything')
      await page.waitForFunction(`document.querySelectorAll('#audience tbody tr').length === 1`)
      for (const theme of ['light', 'dark'] as const) {
        await setTheme(page, theme)
        assert.deepEqual(await axeFindings(page), [], theme)
      }
      await optOut({})
      await page.waitForSelector(link('approval', 'passed'))
    },
  )

  await context.test('nothing of WCAG A, AA or best practice is broken, in both themes', async () => {
    await open(page, 'When')
    for (const theme of ['light', 'dark'] as const) {
      await setTheme(page, theme)
      assert.deepEqual(await axeFindings(page), [], theme)
    }
    await page.locator('button[aria-label$="into Title"]').click()
    await page.waitForSelector('[role=menu]')
    assert.deepEqual(await axeFindings(page), [], 'menu')
    await page.keyboard.press('Escape')
    await page.waitForFunction(`document.querySelector('[role=menu]') === null`)
  })

  await context.test(
    'everyone, a variant and a schedule; the launch names the people and is undone',
    async () => {
      await press(page, 'label', 'Everyone')
      await press(page, 'label', 'On each person’s own clock')
      await open(page, 'Variants')
      await press(page, 'label', 'Compare a second text with the first')
      await press(page, 'label', 'B')
      await press(page, 'label', 'All others')
      await page.type('#compose-title', 'Six new teas')
      await says(page, 'figure', 'Six new teas')
      await reach(page, 2)
      await press(page, 'button', 'Review and send')
      await page.waitForSelector('[role=dialog]')
      assert.deepEqual(await axeFindings(page), [], 'review')
      await press(page, 'button', 'Send to 2 people')
      await page.waitForSelector('[data-after=leaving]')
      const launched = await newest()
      assert.deepEqual(
        [launched['state'], launched['people'], launched['time_zone'], launched['undo_seconds']],
        ['scheduled', 2, 'subscriber', 10],
      )
      const { variants } = launched
      assert.ok(Array.isArray(variants) && isJsonObject(variants[1]))
      assert.deepEqual(variants[1]['content'], { title: 'Six new teas' })
      await press(page, 'button', 'Undo')
      await says(page, 'main', 'Undone. Nothing was sent')
      assert.deepEqual(
        (await campaigns.list(brand)).map(({ state }) => state),
        ['draft', 'cancelled'],
      )
    },
  )

  await context.test('a launch for now leaves ten seconds to undo', async () => {
    await open(page, 'When')
    await press(page, 'label', 'Now')
    await page.waitForSelector('::-p-xpath(//header//*[contains(., "Draft, saved")])')
    await press(page, 'button', 'Review and send')
    await press(page, 'button', 'Send to 2 people')
    await page.waitForSelector('::-p-xpath(//*[@data-after="leaving"]//p[contains(., " s.")])')
    await press(page, 'button', 'Undo')
    await page.waitForSelector('#compose-title:not(:disabled)')
    const { rows } = await database.query('select from deliveries where brand_id = $1', [brandId])
    assert.deepEqual([(await newest())['state'], rows.length], ['draft', 0])
  })

  await context.test('an author asks for approval, and an analyst sees no way to send', async () => {
    const author = await signIn('author')
    const path = `/compose/${String((await newest())['campaign_id'])}`
    const analyst = await signIn('analyst')
    await analyst.open(path)
    await says(analyst.page, 'main', 'Your role may read messages')
    assert.equal(await analyst.page.$('header button'), null)
    await author.open(path)
    await reach(author.page, 2)
    assert.equal(await author.page.$('::-p-xpath(//button[contains(., "Test send")])'), null)
    await press(author.page, 'button', 'Ask for approval')
    await press(author.page, 'button', 'Ask to send to 2 people')
    await author.page.waitForSelector('[data-after=awaiting]')
    assert.equal((await newest())['state'], 'awaiting_approval')
    assert.deepEqual([...author.problems, ...analyst.problems], [])
    await owner.open(path)
    await press(page, 'button', 'Approve and send')
    await page.waitForSelector('[data-after=leaving]')
    assert.equal((await newest())['state'], 'scheduled')
    await press(page, 'button', 'Undo')
    await page.waitForSelector('#compose-title:not(:disabled)')
  })

  await context.test(
    'Android has a title of its own, and a test of it arrives on a virtual device',
    async () => {
      // The messages of the steps before are undone in time only if nothing is sent meanwhile.
      context.after(runPushLane(database, desk.access, memoryLog()))
      const device = { kind: 'android', name: 'Pocket phone', user_id: 'ada' }
      const headers = keyHeaders(brand)
      await call(server.port, { path: '/api/v1/virtual-devices', headers, body: device })
      await owner.open('/compose?person=ada')
      await page.type('#compose-title', 'For all')
      await page.type('#compose-message', 'Six new teas')
      await press(page, 'label[contains(@class, "SegmentedControl")]', 'Android')
      await page.type('#compose-title', 'Only here, {{ user.first_name }}')
      await replaceText(page, '::-p-aria([name="Channel of the app"])', 'offers')
      await says(page, 'figure', 'Only here, Ada')
      // The preview can come before the last field is stored.
      await until(async () => Object((await newest())['android']).android_channel === 'offers', {
        what: 'the channel in the draft',
      })
      const { content, android, ios } = await newest()
      assert.deepEqual(
        [Object(content).title, android, ios],
        ['For all', { title: 'Only here, {{ user.first_name }}', android_channel: 'offers' }, undefined],
      )
      await press(page, 'button', 'Test send')
      await press(page, 'label', 'Pocket phone · ada')
      await press(page, 'button', 'Send the test')
      await says(page, '[role=dialog]', 'It arrived on Pocket phone.')
      assert.deepEqual(await axeFindings(page), [])
      const { body } = await call(server.port, { path: '/api/v1/virtual-devices', headers })
      assert.equal(Object(Object(body['virtual_devices'])[0]).messages[0].title, 'Only here, Ada')
    },
  )

  assert.deepEqual(owner.problems, [])
})

/** Clicks the first visible element whose whole text is this. */
async function press(page: Page, name: string, text: string): Promise<void> {
  const found = await page.waitForSelector(
    `::-p-xpath(//${name}[normalize-space(.)="${text}"][not(@disabled)])`,
    {
      visible: true,
    },
  )
  await found?.scrollIntoView()
  await found?.click()
}

/** Opens a sentence into its controls. After an undo the form is drawn anew, which would close them. */
async function open(page: Page, name: string): Promise<void> {
  await page.waitForSelector('#compose-title:not(:disabled)')
  await page.locator(`button[aria-label^="${name}:"]`).click()
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.locator(`input[aria-label="${label}"]`).click()
  await press(page, `*[@role="option"]`, option)
}

async function says(page: Page, place: string, text: string): Promise<void> {
  const wanted = JSON.stringify(text)
  await page.waitForFunction(`document.querySelector('${place}')?.textContent.includes(${wanted})`)
}

async function reach(page: Page, people: number): Promise<void> {
  await page.waitForSelector(`[data-reach="${people}"]`)
}

/** The link of the chain of checks with this name and result. */
function link(check: string, result: string): string {
  return `[data-check=${check}][data-result=${result}]`
}
