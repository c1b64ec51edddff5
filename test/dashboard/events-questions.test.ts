import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { axeFindings, settled, startDashboard } from '../support/dashboard/dashboard.ts'
import { replaceText } from '../support/dashboard/replace-text.ts'
import { catchUp } from '../support/events/counting.ts'
import { call, keyHeaders } from '../support/processes/server.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const STARTED_AT = Date.now()
const BY_PLAN = JSON.stringify(['attribute:plan'])

/** The attributes of an event of some minutes ago. */
function ago(minutes: number, plan?: string): { readonly agoMs: number; readonly plan?: string } {
  return { agoMs: minutes * MINUTE_MS, ...(plan && { plan }) }
}

/** How long ago noon was on a day before today. */
function noon(daysBack: number): number {
  const day = new Date(STARTED_AT - daysBack * DAY_MS).toISOString().slice(0, 10)
  return STARTED_AT - Date.parse(`${day}T12:00:00Z`)
}

/** The address of Explore about an event and the people of a filter. */
function walksOf(people: string): string {
  return `/events/explore?name=walk&people=${encodeURIComponent(people)}`
}

test('the questions of the page of events', { skip: whyNoBrowsers() }, async (context) => {
  const { server, brand, signIn } = await startDashboard(context)
  const headers = keyHeaders(brand)
  const ask = async (path: string, body: object) => {
    const answer = await call(server.port, { path, headers, body })
    assert.equal(answer.status, 200, answer.text)
    return Object(answer.body)
  }
  type Made = { readonly agoMs: number; readonly price?: number; readonly plan?: string }
  const event = (userID: string, event_name: string, { agoMs, ...attributes }: Made) => ({
    userID,
    event_name,
    event_time: new Date(STARTED_AT - agoMs).toISOString(),
    attributes,
  })
  const owner = await signIn()
  const { page } = owner
  const sees = async (text: string) =>
    page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`)
  const rowsOf = async (label: string, texts: readonly string[]) =>
    page.waitForFunction(
      `[...document.querySelectorAll('table[aria-label=${JSON.stringify(label)}] tbody tr')].map((row) => row.innerText.split(/\\s+/).filter(Boolean).join(' ')).join('|') === ${JSON.stringify(texts.join('|'))}`,
    )

  /** Several fields have options of the same name, so the option is looked for in the list of its field. */
  const choose = async (field: string, option: string) => {
    await page.locator(field).click()
    await page.waitForSelector(`${field}[aria-expanded=true]`)
    const list = await page.$eval(field, (input) => input.getAttribute('aria-controls'))
    await page.locator(`[id="${list}"] [role=option] ::-p-text(${option})`).click()
  }

  await context.test('Explore takes any percentile, and tells which one it is', async () => {
    const prices = Array.from({ length: 11 }, (_, at) => ({ agoMs: MINUTE_MS, price: 10 * at }))
    await ask('/api/event', { nv: prices.map((price) => event('u-1', 'order', price)) })
    await owner.open('/events/explore?name=order&measure=percentile&of=price')
    await page.waitForFunction(`document.querySelector('section p a')?.textContent === '50'`)
    await sees('Median')
    await page.locator('::-p-aria([name="Percentile"][role="textbox"])').fill('90')
    await page.waitForFunction(`document.querySelector('section p a')?.textContent === '90'`)
    await sees('Percentile 90')
    assert.equal(new URL(page.url()).searchParams.get('percentile'), '90')
  })

  await context.test(
    'Explore cuts dates into the spans that are chosen, and leads to their rows',
    async () => {
      const [from, to] = [4, 3].map((days) => new Date(STARTED_AT - days * DAY_MS).toISOString().slice(0, 10))
      const inIt = new Date(`${to}T05:00:00Z`)
      const old = [inIt.getTime(), inIt.getTime() + DAY_MS, STARTED_AT - 900 * DAY_MS]
      await ask('/api/event', {
        nv: old.map((at, index) => event(`u-${index}`, 'visit', { agoMs: STARTED_AT - at })),
      })
      await owner.open(`/events/explore?name=visit&range=dates&from=${from}&to=${to}`)
      await page.waitForFunction(`document.querySelector('section p a')?.textContent === '1'`)
      await page.locator('summary').click()
      const rows = (count: number) =>
        page.waitForFunction(
          `document.querySelectorAll('table[aria-label="The numbers"] tbody tr').length === ${count}`,
        )
      await rows(48)
      await page.locator('input[aria-label="A bar for each"]').click()
      await page.locator('[role=option] ::-p-text(By day)').click()
      await rows(2)
      assert.equal(new URL(page.url()).searchParams.get('every'), 'day')
      await page.locator('section p a').click()
      await page.waitForFunction(`location.pathname === '/events/rows'`)
      await page.waitForFunction(`document.querySelectorAll('ol[aria-label] > li').length === 1`)
      await owner.open('/events/explore?name=visit')
      await page.waitForFunction(`document.querySelector('section p a')?.textContent === '2'`)
      await page.locator('label ::-p-text(All time)').click()
      await page.waitForFunction(`document.querySelector('section p a')?.textContent === '3'`)
      await sees('All time is one number.')
      await page.locator('section p a').click()
      await sees('of all time')
      await page.waitForFunction(`document.querySelectorAll('ol[aria-label] > li').length === 3`)
    },
  )

  await context.test('Explore shows as many groups as are wanted, and counts the others as one', async () => {
    const plans = ['gold', 'gold', 'gold', 'free', 'free', 'none']
    await ask('/api/event', {
      nv: plans.map((plan, at) => event(`u-${at}`, 'signup', { agoMs: MINUTE_MS * (60 - at), plan })),
    })
    await owner.open(`/events/explore?name=signup&range=1y&by=${encodeURIComponent(BY_PLAN)}`)
    await rowsOf('By group', ['gold 3', 'free 2', 'none 1'])
    await page.locator('::-p-aria([name="Groups"][role="textbox"])').fill('1')
    await rowsOf('By group', ['gold 3', '2 others 3'])
    assert.deepEqual(await axeFindings(page), [])
  })

  await context.test(
    'Explore asks about the people who meet conditions, and leads to their rows',
    async () => {
      const cities = ['Bern', 'Oslo', 'Bern', 'Oslo', 'Oslo']
      await ask('/api/v1/user/create', {
        nv: cities.map((city, at) => ({ userID: `c-${at}`, user_attributes: { city } })),
      })
      await ask('/api/event', { nv: cities.map((_, at) => event(`c-${at}`, 'walk', ago(30))) })
      const total = async (value: number) =>
        page.waitForFunction(`document.querySelector('section p a')?.textContent === '${value}'`)
      const wordIn = (name: string) => new URL(page.url()).searchParams.get(name)
      await owner.open('/events/explore?name=walk')
      await total(5)
      await choose('input[placeholder="everybody"]', 'who meet conditions')
      await sees('Finish the conditions')
      await total(5)
      await page.locator('section[aria-label^="People who"] button ::-p-text(Attribute)').click()
      await replaceText(page, 'input[aria-label="Name of the attribute"]', 'city')
      await replaceText(page, 'input[aria-label="Value"]', 'Bern')
      await total(2)
      // An open list of names would cover the page.
      await page.keyboard.press('Escape')
      const inBern = [{ attribute: 'city', is: 'eq', value: 'Bern' }]
      assert.deepEqual(JSON.parse(wordIn('people') ?? ''), { all: inBern })
      assert.deepEqual(await axeFindings(page), [])
      await page.locator('button[title="Turn the condition around"]').click()
      await total(3)
      await page.locator('button[aria-label="Remove"]').click()
      await total(5)
      await owner.open(walksOf(JSON.stringify({ all: inBern })))
      await total(2)
      await page.locator('nav a ::-p-text(Explore)').click()
      await page.waitForFunction(`!location.search.includes('people')`)
      await choose('input[placeholder="everybody"]', 'who meet conditions')
      await sees('Finish the conditions')
      await page.goBack()
      await total(2)
      await page.waitForFunction(`document.querySelector('input[aria-label="Value"]')?.value === 'Bern'`)
      await page.locator('button[title="Turn the condition around"]').click()
      await total(3)
      await page.locator('section p a').click()
      await page.waitForFunction(`location.pathname === '/events/rows'`)
      await page.waitForFunction(`document.querySelectorAll('ol[aria-label] > li').length === 3`)
      assert.deepEqual(JSON.parse(wordIn('people') ?? ''), { all: [{ not: inBern[0] }] })
      await page.locator('button ::-p-text(city)').click()
      await page.waitForFunction(`document.querySelectorAll('ol[aria-label] > li').length === 5`)
      assert.equal(wordIn('people'), null)
    },
  )

  await context.test('what the API says about the people of Explore stands at the condition', async () => {
    const condition = 'li[aria-label="Condition 1"]'
    // The number is beyond 2^53.
    await owner.open(walksOf('{"attribute":"code","is":"eq","value":9007199254740993}'))
    await page.waitForFunction(
      `document.querySelector('${condition} ul')?.innerText.includes('No person has had')`,
    )
    await owner.open(walksOf('{"all":[{"field":"last_seen","is":"within_days","value":99999}]}'))
    await page.waitForFunction(
      `document.querySelector('${condition} [role=alert]')?.innerText.includes('3650')`,
    )
    await owner.open(walksOf('{"all":[{"fie'))
    await page.waitForFunction(`document.querySelector('section p a')?.textContent === '5'`)
  })

  await context.test('a funnel tells the time it takes, by group, and which events end the way', async () => {
    const paid = [50, 40, 30].map((minutes, at) => event(`f-${at}`, 'pay', ago(minutes)))
    const started = ['gold', 'gold', 'free', 'free'].map((plan, at) =>
      event(`f-${at}`, 'start', ago(60, plan)),
    )
    await ask('/api/event', { nv: [...started, ...paid, event('f-1', 'refund', ago(45))] })
    // The names to choose from are counted a moment later.
    await catchUp(server.deps.database, brand.brandId)
    await owner.open('/events/funnel?steps=start,pay')
    await sees('went all the way: 3 of 4 people, half of them within 20 min')
    await choose('input[placeholder="nothing"]', 'plan')
    await rowsOf('By group', ['free 50% 2 1 30 min', 'gold 100% 2 2 15 min'])
    await page.keyboard.press('Escape')
    await choose('input[aria-label="Add an event that ends the way"]', 'refund')
    await rowsOf('By group', ['free 50% 2 1 30 min', 'gold 50% 2 1 10 min'])
    await page.locator('ol li a[href*=stopped]').click()
    await page.waitForSelector('#people a[href="/people/f-1"]')
    assert.equal((await page.$$('#people tbody tr')).length, 2)
    assert.deepEqual(await axeFindings(page), [])
    await page.locator('button[aria-label="Let refund end nothing"]').click()
    await rowsOf('By group', ['free 50% 2 1 30 min', 'gold 100% 2 2 15 min'])
  })

  await context.test('a retention has a line for each group of people', async () => {
    const joined = ['gold', 'gold', 'free'].map((plan, at) =>
      event(`r-${at}`, 'join', { agoMs: noon(3), plan }),
    )
    await ask('/api/event', { nv: [...joined, event('r-0', 'visit', { agoMs: noon(2) })] })
    await owner.open(`/events/retention?unit=day&start=join&by=${encodeURIComponent(BY_PLAN)}`)
    await page.waitForFunction(
      `[...document.querySelectorAll('table[aria-label="By group"] tbody tr')].map((row) => row.innerText.split(/\\s+/).slice(0, 4).join(' ')).join('|') === 'gold 2 100% 50%|free 1 100% 0%'`,
    )
    assert.deepEqual(await axeFindings(page), [])
  })

  await context.test(
    'paths stand step by step, and lead to the events and the funnel of a step',
    async () => {
      const opened = [0, 1, 2].map((at) => event(`p-${at}`, 'open', ago(60)))
      const later = [
        event('p-0', 'read', ago(50)),
        event('p-0', 'buy', ago(40)),
        event('p-1', 'read', ago(50)),
      ]
      await ask('/api/event', { nv: [...opened, ...later] })
      await catchUp(server.deps.database, brand.brandId)
      await owner.open('/events/paths')
      await sees('Choose where the paths begin')
      await page.locator('input[placeholder="Choose an event"]').click()
      await page.locator('[role=option] ::-p-text(open)').click()
      await sees('66.7% did something after it: 2 of 3 people')
      await rowsOf('What people do next', [
        'open 3 100% read 2 66.7% buy 1 33.3%',
        'nothing more 1 33.3%',
        'nothing more 1 33.3%',
      ])
      assert.deepEqual(await axeFindings(page), [])
      await page.locator('::-p-aria([name="Steps"][role="textbox"])').fill('1')
      await rowsOf('What people do next', ['open 3 100% read 2 66.7%', 'nothing more 1 33.3%'])
      await page.locator('td a ::-p-text(read)').click()
      await sees('went all the way: 2 of 3 people')
      await owner.open('/events/paths?name=open&top=1')
      await rowsOf('What people do next', ['open 3 100% nothing more 1 33.3%', '2 other paths 2 66.7%'])
      await page.locator('td a').click()
      await page.waitForFunction(`location.pathname === '/events/rows'`)
      await page.waitForFunction(`document.querySelectorAll('ol[aria-label] > li').length === 3`)
    },
  )

  await settled(page)
  // The API refuses a condition on purpose, and browsers note every refusal in the console.
  assert.deepEqual(
    owner.problems.filter((line) => !line.includes('status of 400')),
    [],
  )
})
