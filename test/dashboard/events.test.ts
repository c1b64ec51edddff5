import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withOwner } from '../../src/store/db.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { axeFindings, setTheme, settled, startDashboard } from '../support/dashboard/dashboard.ts'
import { catchUp } from '../support/events/counting.ts'
import { call, keyHeaders } from '../support/processes/server.ts'

const ASSAM = JSON.stringify([{ attribute: 'tea', is: 'eq', value: 'Assam' }])
const MARKUP = '<img src=x onerror="document.title=1">'

test('the page of events', { skip: whyNoBrowsers() }, async (context) => {
  const { server, brand, signIn } = await startDashboard(context)
  const headers = keyHeaders(brand)
  const log = async (...nv: readonly object[]) =>
    call(server.port, { path: '/api/event', headers, body: { nv } })
  const owner = await signIn()
  const { page } = owner
  const sees = async (text: string) =>
    page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`)

  await context.test(
    'a brand without events is told how to log one; the event appears by itself',
    async () => {
      await owner.open('/events')
      await sees('curl -X POST')
      await sees('/api/event')
      await page.waitForFunction(
        `[...document.querySelectorAll('section')].some((card) => card.innerText.includes('Live'))`,
      )
      await log({
        userID: 'u-1001',
        event_name: 'signup',
        attributes: { price: 12.9, tea: 'Sencha', note: MARKUP },
      })
      await page.waitForSelector('ol[aria-label] > li')
      await sees('u-1001')
      await sees(MARKUP)
      assert.equal(await page.$('img'), null)
    },
  )

  await context.test('a paused tail stands still and counts; a filter is part of the address', async () => {
    await page.locator('button ::-p-text(Pause)').click()
    await log({ userID: 'u-1002', event_name: 'signup', attributes: { price: 8, tea: 'Assam' } })
    await sees('1 new')
    assert.equal((await page.$$('ol[aria-label] > li')).length, 1)
    await page.locator('button ::-p-text(Go on)').click()
    await page.waitForFunction(`document.querySelectorAll('ol[aria-label] > li').length === 2`)
    await owner.open('/events?person=u-1002')
    await page.waitForFunction(`document.querySelectorAll('ol[aria-label] > li').length === 1`)
  })

  await context.test('a refused entry shows its cause and its cure; markup is text', async () => {
    await log({ userID: 'u-1001', event_name: MARKUP, attributes: {} }, { userID: 'u-1001', attributes: {} })
    await owner.open('/events/refused')
    await sees('event_name is required.')
    await sees('Put event_name into every entry of the call')
    await sees(JSON.stringify(MARKUP).slice(1, -1))
    assert.equal(await page.$('img'), null)
  })

  await context.test('a type conflict is shown, and reset with a click', async () => {
    await log({ userID: 'u-1001', event_name: 'purchase', attributes: { price: 'a lot' } })
    await log({ userID: 'u-1001', event_name: 'purchase', attributes: { price: 12.9 } })
    await catchUp(server.deps.database, brand.brandId)
    await owner.open('/events/schema')
    await sees('One attribute gets values of another type')
    await page.locator('table td b a[href*="mistyped=price"]').click()
    await sees('with a mistyped price')
    await sees('price 12.9')
    await page.waitForFunction(`document.querySelectorAll('ol[aria-label] > li').length === 1`)
    await owner.open('/events/schema')
    await page.locator('button[aria-label="Reset the lock of price"]').click()
    await page.locator('[role=menuitem] ::-p-text(Lock to Number)').click()
    await sees('price is locked to Number')
    const { body } = await call(server.port, { path: '/api/v1/events/schema?prefix=purchase', headers })
    assert.equal(Object(body)['events'][0].attributes[0].type, 'Number')
  })

  await context.test('a funnel and a trend have the numbers of the API, which lead to the rows', async () => {
    const steps = ['signup', 'purchase']
    const path = '/api/v1/events/funnel'
    const { body } = await call(server.port, { path, headers, body: { steps, within: 604_800 } })
    const users = Object(body)['funnel'].map((step: { readonly users: number }) => String(step.users))
    await owner.open(`/events/funnel?steps=${steps.join()}`)
    await sees('went all the way: 1 of 2 people')
    assert.deepEqual(
      await page.$$eval('ol li a:not([href*=stopped])', (links) =>
        links.map(({ textContent }) => textContent),
      ),
      users,
    )
    await page.locator('ol li a').click()
    await page.waitForSelector('table[aria-label="Did signup"]')
    await page.waitForFunction(`document.querySelectorAll('#people tbody tr').length === 2`)
    await page.locator('ol li a[href*=stopped]').click()
    await page.waitForSelector('table[aria-label="Stopped before purchase"] a[href="/people/u-1002"]')
    assert.equal((await page.$$('#people tbody tr')).length, 1)
    assert.deepEqual(await axeFindings(page), [])
    await owner.open('/events/trend?name=signup&attribute=tea')
    await page.waitForSelector('canvas')
    await page.waitForFunction(`document.querySelector('section p a')?.textContent === '2'`)
    await sees('By tea')
    await sees('Assam')
    const by = encodeURIComponent(JSON.stringify(['attribute:tea']))
    await owner.open(`/events/explore?name=signup&measure=people&compare=yes&by=${by}`)
    await page.waitForSelector('canvas')
    await page.waitForFunction(
      `[...document.querySelectorAll('table[aria-label="By group"] tbody tr')].map((row) => row.innerText.split('\\t').map((cell) => cell.trim()).filter(Boolean).join(' ')).join('|') === 'Assam 1 0|Sencha 1 0'`,
    )
    await sees('before: 0')
    await page.locator('table[aria-label="By group"] tbody tr a').click()
    await page.waitForFunction(`location.pathname === '/events/rows'`)
    await sees('tea: Assam')
    await page.waitForFunction(`document.querySelectorAll('ol[aria-label] > li').length === 1`)
    // Without an attribute in the address the page chooses one, as soon as it knows their names.
    await owner.open('/events/trend?name=signup')
    await sees('By note')
  })

  await context.test(
    'the rest of the groups, and a span of the time before, lead to their rows',
    async () => {
      const dayMs = 86_400_000
      const dayAgo = (days: number) =>
        new Date(Date.now() - days * dayMs).toISOString().slice(0, 19).replace('T', ' ')
      const entries = Array.from({ length: 13 }, (_, at) => ({
        userID: 'u-1001',
        event_name: 'view',
        attributes: { page: `p${String(Math.min(at, 11)).padStart(2, '0')}` },
      }))
      const before = {
        userID: 'u-1002',
        event_name: 'view',
        event_time: dayAgo(9),
        attributes: { page: 'q' },
      }
      await log(...entries, before)
      const by = encodeURIComponent(JSON.stringify(['attribute:page']))
      await owner.open(`/events/explore?name=view&compare=yes&range=7d&by=${by}`)
      const rest = 'table[aria-label="By group"] tbody tr:last-child'
      await page.waitForFunction(`document.querySelector('${rest}')?.innerText.startsWith('2 others')`)
      const numbers = await page.$$eval(`${rest} a`, (links) => links.map(({ textContent }) => textContent))
      assert.deepEqual(numbers, ['2', '1'])
      await page.locator(`${rest} td:last-child a`).click()
      await page.waitForFunction(`location.pathname === '/events/rows'`)
      await sees('page: not p11, p00 and 8 more')
      await page.waitForFunction(`document.querySelectorAll('ol[aria-label] > li').length === 1`)
      await owner.open(`/events/explore?name=view&compare=yes&range=7d`)
      await page.locator('summary ::-p-text(The numbers)').click()
      await page.locator('table[aria-label="The numbers"] td:last-child a').click()
      await page.waitForFunction(`location.pathname === '/events/rows'`)
      await page.waitForFunction(`document.querySelectorAll('ol[aria-label] > li').length === 1`)
      await sees('u-1002')
    },
  )

  await context.test('each number of a retention leads to as many people as it counts', async () => {
    await owner.open('/events/retention?unit=day')
    const ofCohorts = 'th[scope=row] + td a'
    await page.waitForSelector(ofCohorts)
    const rows = await page.$$eval('tbody tr', (all) =>
      all.map(({ innerText }) => innerText.split(/\s*\t\s*/)),
    )
    assert.equal(rows.length, 2)
    for (const [at, [day, count]] of rows.entries()) {
      await page.locator(`tbody tr:nth-child(${at + 1}) > ${ofCohorts}`).click()
      await page.waitForSelector(`#people table[aria-label="Started on ${day}"]`)
      await page.waitForFunction(`document.querySelectorAll('#people tbody tr').length === ${count}`)
    }
    // The person of the older cohort was there today as well.
    await page.locator('td a[href*="period="]').click()
    await page.waitForSelector('#people table[aria-label*="came back on day"] a[href="/people/u-1002"]')
    assert.equal((await page.$$('#people tbody tr')).length, 1)
    assert.deepEqual(await axeFindings(page), [])
    await page.locator('#people a ::-p-text(Close)').click()
    await page.waitForFunction(`document.querySelector('#people') === null`)
  })

  await context.test(
    'Explore takes conditions and tells its cost; its number leads to the same rows',
    async () => {
      await catchUp(server.deps.database, brand.brandId)
      await owner.open(`/events/explore?name=signup&where=${encodeURIComponent(ASSAM)}`)
      await page.waitForFunction(`document.querySelector('section p a')?.textContent === '1'`)
      await sees('Reads about 2 events, within a second.')
      await page.locator('section p a').click()
      await page.waitForFunction(`location.pathname === '/events/rows'`)
      await sees('tea is Assam')
      await page.waitForFunction(`document.querySelectorAll('ol[aria-label] > li').length === 1`)
      await owner.open('/events/explore?name=signup')
      await page.waitForFunction(`document.querySelector('section p a')?.textContent === '2'`)
      await page.locator('button ::-p-text(Only some of these events)').click()
      await page.locator('input[aria-label="Name of the attribute"]').fill('tea')
      await page.locator('input[aria-label="Value"]').fill('Sencha')
      await page.waitForFunction(`document.querySelector('section p a')?.textContent === '1'`)
      const address = new URL(page.url()).searchParams.get('where')
      assert.deepEqual(JSON.parse(address ?? ''), [{ attribute: 'tea', is: 'eq', value: 'Sencha' }])
    },
  )

  await context.test('a question that takes long shows how far it is, and can be cancelled', async () => {
    await owner.open('/events/explore?name=signup')
    await page.waitForFunction(`document.querySelector('section p a')?.textContent === '2'`)
    await withOwner(server.url, async (db) => {
      await db.query('begin; lock table events in access exclusive mode')
      await page.locator('label ::-p-text(Compare with the time before)').click()
      await page.waitForSelector('[role=progressbar]')
      await sees('s of about')
      await page.locator('button ::-p-text(Cancel)').click()
      await sees('Cancelled.')
      await db.query('rollback')
    })
    await page.locator('button ::-p-text(Ask again)').click()
    await sees('before: 0')
  })

  await context.test('a funnel, a retention and paths tell their cost, and can be cancelled', async () => {
    const views = [
      { first: '/events/funnel?steps=signup,purchase', choose: 'A day', answer: 'went all the way' },
      { first: '/events/retention', choose: 'By day', answer: 'Day of the start' },
      { first: '/events/paths?name=signup', choose: 'A week', answer: 'did something after it' },
    ]
    for (const { first, choose, answer } of views) {
      await owner.open(first)
      await sees('Reads about')
      await withOwner(server.url, async (db) => {
        await db.query('begin; lock table events in access exclusive mode')
        await page.locator(`label ::-p-text(${choose})`).click()
        await page.waitForSelector('[role=progressbar]')
        await sees('s of about')
        await page.locator('button ::-p-text(Cancel)').click()
        await sees('Cancelled.')
        assert.ok(!String(await page.evaluate('document.body.innerText')).includes(answer), first)
        await db.query('rollback')
      })
      await page.locator('button ::-p-text(Ask again)').click()
      await sees(answer)
    }
  })

  await context.test('a question that would take too long waits for a second click', async () => {
    await server.deps.database.query(
      `update series set count = 20000000 where brand_id = $1 and metric = 'events' and name = 'signup' and minutes = 60`,
      [brand.brandId],
    )
    await owner.open('/events/explore?name=signup&measure=sum')
    await sees('Choose a shorter time or one event.')
    assert.equal(await page.$('section p a'), null)
    await page.locator('button ::-p-text(Ask anyway)').click()
    await page.waitForFunction(`document.querySelector('section p a')?.textContent === '20'`)
    await owner.open('/events/funnel?steps=signup,purchase')
    await sees('Choose a shorter time.')
    assert.equal(await page.$('ol li a'), null)
    await page.locator('button ::-p-text(Ask anyway)').click()
    await sees('went all the way')
  })

  await context.test('nothing of WCAG A, AA or best practice is broken, in both themes', async () => {
    const views = [
      '',
      '/schema',
      '/refused',
      '/trend',
      '/explore?measure=average&compare=yes',
      `/explore?name=signup&compare=yes&where=${encodeURIComponent(ASSAM)}`,
      '/funnel?steps=signup,purchase',
      '/retention',
      '/paths?name=signup',
      '/rows',
    ]
    for (const view of views) {
      await owner.open(`/events${view}`)
      // Every view uses the same colours; these have some of their own.
      const isColoured = ['', '/schema', '/retention'].includes(view)
      for (const theme of isColoured ? (['dark', 'light'] as const) : (['light'] as const)) {
        await setTheme(page, theme)
        assert.deepEqual(await axeFindings(page), [], `${view} ${theme}`)
      }
    }
  })

  await context.test('a developer sees names and locks, and nothing about anybody', async () => {
    const developer = await signIn('developer')
    await developer.open('/events')
    const views = await developer.page.$$eval('main nav a', (links) =>
      links.map(({ textContent }) => textContent),
    )
    assert.deepEqual(views, ['Live', 'Schema'])
    await developer.page.waitForFunction(
      `[...document.querySelectorAll('section')].some((card) => card.innerText.includes('Live'))`,
    )
    await log({ userID: 'u-1003', event_name: 'signup', attributes: { price: 5, tea: 'Darjeeling' } })
    await developer.page.waitForSelector('ol[aria-label] > li')
    const tail = String(await developer.page.evaluate('document.body.innerText'))
    assert.ok(tail.includes('tea, price') && !tail.includes('Darjeeling') && !tail.includes('u-1003'), tail)
    await developer.open('/events/schema?name=purchase')
    await developer.page.waitForSelector('button[aria-label="Reset the lock of price"]')
    assert.deepEqual(developer.problems, [])
  })

  await settled(page)
  assert.deepEqual(owner.problems, [])
})
