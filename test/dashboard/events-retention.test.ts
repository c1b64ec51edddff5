import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_READ_LIMITS } from '../../src/rules/events.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { axeFindings, settled, startDashboard } from '../support/dashboard/dashboard.ts'
import { catchUp } from '../support/events/counting.ts'
import { call, keyHeaders } from '../support/processes/server.ts'

const DAY_MS = 86_400_000
const STARTED_AT = Date.now()
const LONG_AGO = 40

/** The day that was so many days ago, in UTC. */
function dayAgo(days: number): string {
  return new Date(STARTED_AT - days * DAY_MS).toISOString().slice(0, 10)
}

function event(userID: string, event_name: string, days: number): object {
  return { userID, event_name, event_time: `${dayAgo(days)}T12:00:00Z`, attributes: {} }
}

test('the time and the periods of a retention', { skip: whyNoBrowsers() }, async (context) => {
  const { server, brand, signIn } = await startDashboard(context)
  const nv = [
    event('r-0', 'join', LONG_AGO),
    event('r-1', 'join', LONG_AGO),
    event('r-0', 'visit', LONG_AGO - 2),
    event('r-2', 'join', 3),
  ]
  const logged = await call(server.port, { path: '/api/event', headers: keyHeaders(brand), body: { nv } })
  assert.equal(logged.status, 200, logged.text)
  await catchUp(server.deps.database, brand.brandId)
  const owner = await signIn()
  const { page } = owner
  const wordIn = (name: string) => new URL(page.url()).searchParams.get(name)
  const sees = async (text: string) =>
    page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`)
  /** Waits until the table has these rows, without the day that each begins with. */
  const rowsAre = async (rows: readonly string[]) =>
    page.waitForFunction(
      `[...document.querySelectorAll('table[aria-label="Who comes back"] tbody tr')].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.innerText.trim()).filter(Boolean).join(' ')).join('|') === ${JSON.stringify(rows.join('|'))}`,
    )
  const columnsAre = async (periods: number) =>
    page.waitForFunction(
      `document.querySelectorAll('table[aria-label="Who comes back"] thead th').length === ${periods + 2}`,
    )

  await context.test(
    'the time and the number of periods stand in the address; the cost follows',
    async () => {
      await owner.open('/events/retention?unit=day&start=join')
      await rowsAre(['1 100% 0% 0% 0%'])
      await columnsAre(14)
      await sees('Reads about 2 events')
      await page.locator('label ::-p-text(90 days)').click()
      await sees('Reads about 7 events')
      const zeros = ' 0%'.repeat(11)
      await rowsAre(['1 100% 0% 0% 0%', `2 100% 0% 50%${zeros}`])
      assert.equal(wordIn('range'), '90d')
      await page.locator('::-p-aria([name="Periods"][role="textbox"])').fill('3')
      await rowsAre(['1 100% 0% 0%', '2 100% 0% 50%'])
      assert.equal(wordIn('periods'), '3')
      assert.deepEqual(await axeFindings(page), [])
    },
  )

  await context.test('a number still leads to its people, until another report is asked for', async () => {
    await page.locator('td a ::-p-text(50%)').click()
    await page.waitForSelector('#people table[aria-label*="came back on day 2"] a[href="/people/r-0"]')
    await page.locator('::-p-aria([name="Periods"][role="textbox"])').fill('2')
    await columnsAre(2)
    await page.waitForFunction(`document.querySelector('#people') === null`)
    assert.equal(wordIn('cohort'), null)
    await owner.open(`${page.url().slice(new URL(page.url()).origin.length)}&cohort=${dayAgo(LONG_AGO)}`)
    await page.waitForSelector('#people a[href="/people/r-1"]')
    await page.locator('label ::-p-text(7 days)').click()
    await rowsAre(['1 100% 0%'])
    await page.waitForFunction(`document.querySelector('#people') === null`)
  })

  await context.test('between two dates only those who started then are followed', async () => {
    const day = dayAgo(LONG_AGO)
    const dates = `unit=day&start=join&range=dates&from=${day}&to=${day}`
    await owner.open(`/events/retention?${dates}&periods=3`)
    await rowsAre(['2 100% 0% 50%'])
    await page.locator('td a ::-p-text(50%)').click()
    await page.waitForSelector('#people a[href="/people/r-0"]')
    await page.locator('::-p-aria([name="Periods"][role="textbox"])').fill('99')
    await columnsAre(EVENT_READ_LIMITS.retentionPeriodsMax)
    await owner.open(`/events/retention?${dates.replaceAll(day, dayAgo(20))}`)
    await sees('Nobody started so in this time.')
  })

  await settled(page)
  assert.deepEqual(owner.problems, [])
})
