import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { moveCampaign } from '../../src/pipeline/campaigns/states.ts'
import { findMovedCampaigns } from '../../src/store/campaigns/work.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import { GoalCalls, HOUR_MS, NOW } from '../support/campaigns/goals.ts'
import { axeFindings, setTheme, settled, startDashboard } from '../support/dashboard/dashboard.ts'
import { call, keyHeaders } from '../support/processes/server.ts'
import { idIn, push } from '../support/push/calls.ts'
import { drain, type Judge } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const MARKUP = '<img src=x onerror="document.title=1">'

test('the pages of messages', { skip: whyNoBrowsers() }, async (context) => {
  const { server, brand, signIn } = await startDashboard(context)
  const { database } = server.deps
  const { brandId } = brand
  const campaigns = new CampaignCalls(server)
  const phones = await seedSubscriptions(database, { brandId, userId: 'u-1001', count: 4 })
  const [browser = 0n] = await seedSubscriptions(database, { brandId, userId: 'u-1002', platform: 'web' })
  const teas = await campaigns.launched(brand, { name: 'Autumn teas', platforms: ['android', 'web'] })
  const single = idIn(
    await push(server.port, brand, { mode: 'all', body: { title: MARKUP, message: 'Six new ones' } }),
  )
  const draft = await campaigns.made(brand, { name: `Draft ${MARKUP}` })
  const owner = await signIn()
  const { page } = owner
  const judge: Judge = ({ id }, { content }) => {
    if (content.title !== MARKUP) return {}
    if (id === phones[0]) return { state: 'failed', reason: 'UNREGISTERED' }
    return id === phones[1]
      ? { state: 'retrying', reason: 'UNAVAILABLE', retryAt: Date.now() + 3_600_000 }
      : {}
  }
  const seesText = async (text: string): Promise<void> => {
    await page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`)
  }

  await context.test(
    'campaigns and single sends are one list, drafts stand first, markup is text',
    async () => {
      await owner.open('/messages')
      await page.waitForFunction(`document.querySelectorAll('main table tbody tr').length === 2`)
      await seesText('Waiting for you')
      await seesText(`Draft ${MARKUP}`)
      assert.equal(await page.$('main img'), null)
      await page.locator('main li button ::-p-text(Go on writing)').click()
      await page.waitForFunction(`location.pathname === '/compose/${draft}'`)
    },
  )

  await context.test('the filters are in the address, and narrow both lists', async () => {
    await owner.open('/messages?source=campaign')
    await page.waitForFunction(`document.querySelectorAll('main table tbody tr').length === 2`)
    await page.type('input[type=search]', 'autumn')
    await page.waitForFunction(`document.querySelectorAll('main table tbody tr').length === 1`)
    assert.equal(new URL(page.url()).searchParams.get('q'), 'autumn')
    await owner.open('/messages?state=cancelled')
    await seesText('No message fits')
  })

  await context.test('the counts of an open message move as devices are done with', async () => {
    await owner.open(`/messages/notification/${single}`)
    await seesText('Starting')
    await drain(database, { judge })
    await page.waitForFunction(`/Accepted\\s*2\\s*Failed\\s*1\\s*Expired\\s*0\\s*Cancelled\\s*0\\s*Waiting\\s*1/
      .test(document.querySelector('main dl')?.innerText ?? '')`)
    await seesText('App was uninstalled')
    await seesText('these devices are retired')
    await seesText('FCM, UNREGISTERED')
  })

  await context.test('a number leads to its rows, and a row to the person', async () => {
    await page.locator('main td a[href*="reason=UNREGISTERED"]').click()
    await page.waitForFunction(
      `document.querySelectorAll('#people tbody tr').length === 1 && new URLSearchParams(location.search).get('state') === 'failed'`,
    )
    const href = await page.$eval('#people tbody a', (link) => link.getAttribute('href'))
    assert.equal(href, `/people/u-1001?why=${encodeURIComponent(`notification:${single}`)}`)
  })

  await context.test('an analyst is offered neither stop nor duplicate', async () => {
    const analyst = await signIn('analyst')
    await analyst.open(`/messages/notification/${single}`)
    const words = await analyst.page.$$eval('main button', (buttons) =>
      buttons.map(({ textContent }) => textContent),
    )
    assert.ok(words.includes('Copy as curl'), words.join())
    assert.ok(!words.includes('Stop') && !words.includes('Duplicate'), words.join())
    assert.deepEqual(analyst.problems, [])
  })

  await context.test('stop names how many still wait, and they get nothing', async () => {
    await page.locator('main header button ::-p-text(Stop)').click()
    await page.waitForSelector('[role=dialog]')
    await seesText('1 device that waits will not get it.')
    assert.deepEqual(await axeFindings(page), [])
    await page.locator('[role=dialog] button ::-p-text(Stop it)').click()
    await seesText('Stopped')
    const { body } = await call(server.port, {
      path: `/api/v1/notifications/${single}`,
      headers: keyHeaders(brand),
    })
    assert.equal(Object(body['notification']).state, 'cancelled')
  })

  await context.test(
    'a campaign that awaits approval stands first; a member with consent approves it',
    async () => {
      const headers = keyHeaders(brand)
      const made = await call(server.port, {
        path: '/api/v1/brand/keys',
        headers,
        body: { kind: 'secret', scopes: ['draft', 'push:read'] },
      })
      const asker = { ...brand, secretKey: String(Object(made.body['key']).api_key) }
      const asked = await campaigns.launched(asker, { name: 'Winter preview', undo_seconds: 60 })
      await owner.open('/messages')
      await seesText('Approval waiting')
      await page.locator('main li button ::-p-text(Approve and send)').click()
      await page.waitForFunction(`!document.body.innerText.includes('Approval waiting')`)
      assert.equal((await campaigns.read(brand, asked))['state'], 'scheduled')
    },
  )

  await context.test('a campaign that is over can be archived; its copy opens as a draft', async () => {
    for (const ref of await findMovedCampaigns(database, { limit: 100, except: [] }))
      await moveCampaign(database, ref)
    const { rows: parts } = await database.query<{ id: string }>(
      `select id from notifications where brand_id = $1 and campaign_id = $2 and platform = 'web'`,
      [brandId, teas],
    )
    const tapped = { brandId, notificationId: parts[0]?.id ?? '', subscriptionId: browser }
    const receipt = server.deps.receipts.sign(tapped, Date.now())
    await call(server.port, { path: '/api/v1/receipts', body: { receipts: [{ receipt, kind: 'clicked' }] } })
    await owner.open('/messages')
    await page.locator(`main table a[href*="/${teas}?receipt=clicked"]`).click()
    await page.waitForFunction(`document.querySelectorAll('#people tbody tr').length === 1`)
    for (const [link, rows] of [
      ['a[href*="per=person"]', 2],
      ['dl a[href*="state=accepted"]', 5],
    ] as const) {
      await owner.open(`/messages/campaign/${teas}`)
      await page.locator(`main ${link}`).click()
      await page.waitForFunction(`document.querySelectorAll('#people tbody tr').length === ${rows}`)
    }
    await owner.open(`/messages/campaign/${teas}`)
    await page.locator('main header button ::-p-text(Duplicate)').click()
    await page.waitForFunction(`/^\\/compose\\/\\d+$/.test(location.pathname)`)
    await owner.open(`/messages/campaign/${teas}`)
    await page.locator('main header button ::-p-text(Archive)').click()
    await seesText('Archived')
    assert.notEqual((await campaigns.read(brand, teas))['archived_at'], null)
  })

  let measured = ''
  await context.test('clicks and goals over time are drawn, with the same figures in a table', async () => {
    const goals = new GoalCalls(server)
    await goals.addPerson(brand, 'ada')
    const campaign = await goals.seed({ brand })
    await goals.deliver(brand, campaign, { userId: 'ada', at: NOW - 10 * HOUR_MS })
    const { rows } = await database.query<{ id: bigint }>(
      `select id from subscriptions where brand_id = $1 and subscription_id = 'ada'`,
      [brandId],
    )
    const device = { brandId, notificationId: campaign.notificationId, subscriptionId: rows[0]?.id ?? 0n }
    const receipt = server.deps.receipts.sign(device, Date.now())
    await call(server.port, { path: '/api/v1/receipts', body: { receipts: [{ receipt, kind: 'clicked' }] } })
    for (const hours of [3, 4]) await goals.buy(brand, 'ada', NOW - hours * HOUR_MS)
    await goals.count(brand)
    await owner.open(`/messages/campaign/${campaign.id}`)
    assert.deepEqual(await drawnOn(page, 'Clicks over time'), [1, ['1']])
    assert.deepEqual(await drawnOn(page, 'Goals over time'), [2, ['1', '1']])
    await seesText('exact, as of')
    measured = String(campaign.id)
    await page.locator('#clicks figure a').click()
    await page.waitForFunction(`new URLSearchParams(location.search).get('from') !== null`)
    await page.waitForFunction(`document.querySelectorAll('#people tbody tr').length === 1`)
    await seesText('Only: Clicked')
    await owner.open(`/messages/campaign/${campaign.id}`)
    await page.locator('figure a[href*="did=converted"]').click()
    await page.waitForFunction(
      `document.querySelector('#people tbody tr td:nth-child(4)')?.innerText === '1'`,
    )
  })

  await context.test('the numbers of the goal and the variants lead to their people', async () => {
    const goals = new GoalCalls(server)
    const variants = [
      { name: 'A', weight: 1 },
      { name: 'B', weight: 1, content: { message: MARKUP } },
    ]
    const { rows } = await database.query<{ notificationId: string }>(
      `update campaigns as c set document = document || jsonb_build_object('variants', $3::jsonb)
       from notifications as n where c.brand_id = $1 and c.id = $2 and n.brand_id = $1 and n.campaign_id = c.id
       returning n.id as "notificationId"`,
      [brandId, measured, JSON.stringify(variants)],
    )
    const campaign = { id: BigInt(measured), notificationId: rows[0]?.notificationId ?? '' }
    for (const [userId, group] of Object.entries({ bea: 1, cid: -1 })) {
      await goals.addPerson(brand, userId)
      await goals.deliver(brand, campaign, { userId, group, at: NOW - 10 * HOUR_MS })
    }
    const people = async (): Promise<readonly string[]> =>
      page.$$eval('#people tbody tr td:first-child', (cells) =>
        cells.map(({ textContent }) => textContent ?? ''),
      )
    const leadTo = async (words: string, wanted: readonly string[]): Promise<void> => {
      await owner.open(`/messages/campaign/${measured}`)
      await page.locator(`main a[href$="?${words}#people"]`).click()
      await page.waitForFunction(`document.querySelectorAll('#people tbody tr').length === ${wanted.length}`)
      assert.deepEqual(await people(), wanted, words)
    }
    await leadTo('did=converted', ['ada'])
    const href = await page.$eval('#people tbody a', (link) => link.getAttribute('href'))
    assert.equal(href, `/people/ada?why=${encodeURIComponent(`campaign:${measured}`)}`)
    await leadTo('group=held_out', ['cid'])
    await leadTo('variant=B', ['bea'])
    assert.deepEqual(await axeFindings(page), [])
    await page.locator('#people button ::-p-text(All devices)').click()
    await page.waitForFunction(`new URLSearchParams(location.search).get('variant') === null`)
    await seesText('Who got it')
    assert.equal(await page.$('main img'), null)
  })

  await context.test('nothing but tables scrolls sideways on a phone', async () => {
    await page.setViewport({ width: 380, height: 800 })
    for (const path of ['/messages', `/messages/notification/${single}`, `/messages/campaign/${teas}`]) {
      await owner.open(path)
      assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= 380, path)
    }
    await page.setViewport({ width: 1360, height: 800 })
  })

  await context.test('nothing of WCAG A, AA or best practice is broken, in both themes', async () => {
    for (const path of ['/messages', `/messages/notification/${single}`, `/messages/campaign/${teas}`]) {
      for (const theme of ['light', 'dark'] as const) {
        await setTheme(page, theme)
        await owner.open(path)
        await settled(page)
        assert.deepEqual(await axeFindings(page), [], `${path} ${theme}`)
      }
    }
  })

  assert.deepEqual(owner.problems, [])
})

/** The number of bars that can be seen, and the figures of the table behind them. */
async function drawnOn(page: Page, label: string): Promise<unknown> {
  await page.waitForSelector(`svg[aria-label="${label}"]`)
  return page.evaluate(`(() => {
    const figure = document.querySelector('svg[aria-label="${label}"]').closest('figure')
    const tall = [...figure.querySelectorAll('rect')].filter((bar) => bar.getBoundingClientRect().height > 1)
    const cells = [...figure.querySelectorAll('tbody td:last-child')].map((cell) => cell.textContent)
    return [tall.length, cells]
  })()`)
}
