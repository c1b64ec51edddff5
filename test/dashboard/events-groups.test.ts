import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { axeFindings, setTheme, settled, startDashboard } from '../support/dashboard/dashboard.ts'
import { call, keyHeaders } from '../support/processes/server.ts'

const DAY_MS = 86_400_000
const STARTED_AT = Date.now()

/** The day that was so many days ago, in UTC. */
function dayAgo(days: number): string {
  return new Date(STARTED_AT - days * DAY_MS).toISOString().slice(0, 10)
}

type Made = { readonly plan: string; readonly days: number; readonly price?: number }

/** The address of Explore about the plans of an event, of the last 7 days. */
function plansOf(name: string, words = ''): string {
  return `/events/explore?name=${name}&range=7d&by=${encodeURIComponent('["attribute:plan"]')}${words}`
}

/** The texts of elements, as an expression of the page. */
function textsOf(selector: string): string {
  return `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.innerText.split(/\\s+/).filter(Boolean).join(' '))`
}

test('the groups of Explore', { skip: whyNoBrowsers() }, async (context) => {
  const { server, brand, signIn } = await startDashboard(context)
  const log = async (name: string, made: readonly Made[]) => {
    const nv = made.map(({ plan, days, price = 0 }, at) => ({
      userID: `u-${at}`,
      event_name: name,
      event_time: `${dayAgo(days)}T12:00:00Z`,
      attributes: { plan, price },
    }))
    const answer = await call(server.port, { path: '/api/event', headers: keyHeaders(brand), body: { nv } })
    assert.equal(answer.status, 200, answer.text)
  }
  const owner = await signIn()
  const { page } = owner

  /** Waits until an expression of the page has a value. */
  const becomes = async (expression: string, value: unknown) =>
    page.waitForFunction(`JSON.stringify(${expression}) === ${JSON.stringify(JSON.stringify(value))}`)
  const heads = textsOf('table[aria-label="By group"] th')
  const bars = `[...document.querySelectorAll('table[aria-label="By group"] i')].map((bar) => bar.style.width)`
  const lines = textsOf('ul[aria-label="Lines"] button')
  const numbers = textsOf('table[aria-label="The numbers"] tbody tr')

  await context.test('a bar is a share only of what can be added up, and never too long', async () => {
    const prices = [50, 50, 30, 30].map((price) => ({ plan: price === 50 ? 'gold' : 'free', days: 1, price }))
    await log('order', prices)
    await log('refund', [
      { plan: 'gold', days: 1, price: 10 },
      { plan: 'free', days: 1, price: -4 },
    ])
    await owner.open(plansOf('order'))
    await becomes(heads, ['plan', 'Share', 'Events'])
    await becomes(bars, ['50%', '50%'])
    await owner.open(plansOf('order', '&measure=people'))
    await becomes(heads, ['plan', 'Share of all people', 'People'])
    await owner.open(plansOf('order', '&measure=average&of=price'))
    await becomes(heads, ['plan', 'Against the largest', 'Average'])
    await becomes(textsOf('table[aria-label="By group"] tbody tr'), ['free 30', 'gold 50'])
    await becomes(bars, ['60%', '100%'])
    await owner.open(plansOf('order', '&measure=sum&of=price'))
    await becomes(heads, ['plan', 'Share', 'Sum'])
    await becomes(bars, ['62.5%', '37.5%'])
    await owner.open(plansOf('refund', '&measure=sum&of=price'))
    await becomes(textsOf('table[aria-label="By group"] tbody tr'), ['gold 10', 'free -4'])
    await becomes(heads, ['plan', 'Sum'])
  })

  await context.test('each group has a line, whose number follows the pointer', async () => {
    await log('signup', [
      ...[1, 1, 1, 2].map((days) => ({ plan: 'gold', days })),
      ...[2, 2].map((days) => ({ plan: 'free', days })),
    ])
    await owner.open(plansOf('signup'))
    await becomes(lines, ['gold 4', 'free 2'])
    const canvas = await page.waitForSelector('[role=img] .u-over')
    const box = await canvas?.boundingBox()
    assert.ok(box)
    // The days are 7, of which the last but one was yesterday.
    await page.mouse.move(box.x + (box.width * 5.6) / 7, box.y + 40)
    await becomes(lines, ['gold 3', 'free 0'])
    await page.mouse.move(5, 5)
    await becomes(lines, ['gold 4', 'free 2'])
    await page.locator('ul[aria-label="Lines"] button ::-p-text(free)').click()
    await page.waitForSelector('button[aria-pressed=true]')
    for (const theme of ['light', 'dark'] as const) {
      await setTheme(page, theme)
      assert.deepEqual(await axeFindings(page), [])
    }
    await setTheme(page, 'light')
  })

  await context.test('each span has the number of each group, which leads to its events', async () => {
    await owner.open(plansOf('signup', '&top=1&compare=yes'))
    await becomes(lines, ['gold 4', '1 other 2'])
    await page.locator('summary').click()
    await becomes(textsOf('table[aria-label="The numbers"] th'), ['Time', 'gold', '1 other', 'All'])
    await becomes(`${numbers}.length`, 7)
    await becomes(`${numbers}.slice(1, 3).map((row) => row.split(' ').slice(3).join(' '))`, [
      '3 before: 0 0 before: 0 3 before: 0',
      '1 before: 0 2 before: 0 3 before: 0',
    ])
    await page.locator('table[aria-label="The numbers"] tbody tr:nth-child(3) td:nth-child(3) a').click()
    await page.waitForFunction(`location.pathname === '/events/rows'`)
    await page.waitForFunction(`document.querySelectorAll('ol[aria-label] > li').length === 2`)
  })

  await context.test('the largest groups have lines; the others are one line where they add up', async () => {
    const plans = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    // The first one has seven events, the last one has one.
    await log(
      'visit',
      plans.flatMap((plan, at) => plans.slice(at).map((_, price) => ({ plan, days: 1, price }))),
    )
    await owner.open(plansOf('visit'))
    await becomes(lines, ['a 7', 'b 6', 'c 5', 'd 4', 'e 3', '2 others 3'])
    await owner.open(plansOf('visit', '&measure=average&of=price'))
    await becomes(lines, ['a 3', 'b 2.5', 'c 2', 'd 1.5', 'e 1'])
    await becomes(`document.body.innerText.includes('The first 5 groups have lines')`, true)
  })

  await settled(page)
  assert.deepEqual(owner.problems, [])
})
