import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { axeFindings, setTheme, settled, startDashboard } from '../support/dashboard/dashboard.ts'
import { replaceText } from '../support/dashboard/replace-text.ts'
import { call, keyHeaders } from '../support/processes/server.ts'

const MARKUP = '<img src=x onerror="document.title=1">'
const TREE = {
  any: [
    { not: { attribute: 'city', is: 'in', value: ['Paris', 18, true] } },
    { all: [{ field: 'last_seen', is: 'before', value: '2026-12-31T12:00:00Z' }, { tag: MARKUP }] },
    { event: 'purchase', count: { gte: 1 }, where: [{ attribute: 'tea', is: 'eq', value: 'Sencha' }] },
    { users: ['u-1'] },
  ],
}

test('the pages of segments', { skip: whyNoBrowsers() }, async (context) => {
  const { server, brand, signIn } = await startDashboard(context)
  const headers = keyHeaders(brand)
  const post = async (path: string, body: object) => call(server.port, { path, headers, body })
  await post('/api/v1/user/create', {
    nv: [
      { userID: 'u-1', user_attributes: { first_name: 'Ada', city: 'Paris' }, tags: ['tea'] },
      { userID: 'u-2', user_attributes: { first_name: 'Grace', city: 'Paris' } },
      { userID: 'u-3', user_attributes: { first_name: 'Mary', city: 'London' } },
    ],
  })
  const purchase = { userID: 'u-1', event_name: 'purchase', attributes: { tea: 'Sencha' } }
  await post('/api/event', { nv: [purchase, purchase, { ...purchase, userID: 'u-2' }] })
  for (const [at, user] of ['u-1', 'u-2', 'u-3'].entries()) {
    const token = String(at).repeat(40)
    await post('/api/v1/subscriptions', { platform: 'android', token, user_id: user })
  }
  await post('/api/v1/segments', { segment_id: 500, name: MARKUP, filter: TREE })
  await server.deps.database.query(
    `insert into segment_sizes (brand_id, segment_id, day, begun_at, size)
     select $1, 500, current_date - day, now(), 40 - day from generate_series(0, 20) as day`,
    [brand.brandId],
  )
  const owner = await signIn()
  const { page } = owner
  const segment = async (id: string) => {
    const { body } = await call(server.port, { path: `/api/v1/segments/${id}`, headers })
    return Object(body['segment'])
  }

  await context.test('a segment is built by keyboard, and its size follows each condition', async () => {
    await owner.open('/segments')
    await page.locator('button ::-p-text(New segment)').click()
    await page.waitForSelector('input[placeholder^="Tea lovers"]')
    await page.type('input[placeholder^="Tea lovers"]', 'Tea in Paris')
    await press(page, 'Attribute')
    await tabAndType(page, 'city')
    await tabAndType(page, null, 'Paris')
    await hasSize(page, 2)

    await press(page, 'Add a condition')
    await page.keyboard.type('Did')
    await tabAndType(page, 'purchase')
    await tabAndType(page, null, '2')
    await page.keyboard.press('Tab')
    await page.keyboard.type('in')
    await hasSize(page, 1)

    await press(page, 'Add a condition')
    await page.keyboard.type('Tag')
    await tabAndType(page, 'tea')
    await page.waitForFunction(`document.body.innerText.includes('who have the tag “tea”')`)
    await press(page, 'Save')
    await page.waitForFunction(`/^.segments.[0-9-]+$/.test(location.pathname)`)
    const saved = await segment(new URL(page.url()).pathname.split('/')[2] ?? '')
    assert.equal(saved.name, 'Tea in Paris')
    assert.deepEqual(saved.filter, {
      all: [
        { attribute: 'city', is: 'eq', value: 'Paris' },
        { event: 'purchase', count: { gte: 2 }, within_days: 30 },
        { tag: 'tea' },
      ],
    })
    await page.waitForSelector('main a[href="/people/u-1"]')
  })

  await context.test('a message to the segment is begun from its page', async () => {
    const id = new URL(page.url()).pathname.split('/')[2] ?? ''
    await press(page, 'Write to them')
    await page.waitForSelector('#compose-title')
    await page.type('#compose-title', 'The autumn teas are here')
    await page.type('#compose-message', 'Yours is set aside.')
    await page.waitForFunction(`/^.compose.[0-9]+$/.test(location.pathname)`)
    const path = `/api/v1/campaigns/${new URL(page.url()).pathname.split('/')[2] ?? ''}`
    const { body } = await call(server.port, { path, headers })
    assert.equal(String(Object(Object(body['campaign']).audience).segment_id), id)
  })

  await context.test('a filter of several kinds is shown and saved unchanged; markup is text', async () => {
    const before = await segment('500')
    await owner.open('/segments/500')
    await page.waitForFunction(`document.querySelector('h1').textContent === ${JSON.stringify(MARKUP)}`)
    assert.equal(await page.$('img'), null)
    await page.waitForSelector('figure svg[aria-label^="Devices a day"]')
    assert.match(String(await page.evaluate(`document.querySelector('figure').innerText`)), /most: 40/)
    await replaceText(page, 'input[placeholder^="Tea lovers"]', 'Renamed')
    await press(page, 'Save')
    await page.waitForFunction(`document.querySelector('h1').textContent === 'Renamed'`)
    const after = await segment('500')
    assert.deepEqual(after.filter, before.filter)
    assert.equal(after.name, 'Renamed')
  })

  await context.test('the size of a segment that is not saved leads to its devices, in any tab', async () => {
    await owner.open('/segments/new')
    await press(page, 'Attribute')
    await tabAndType(page, 'city')
    await tabAndType(page, null, 'Paris')
    await hasSize(page, 2)
    const rows = 'main [role=table] a[href^="/people/"], main table a[href^="/people/"]'
    await page.locator('[data-size="2"] a').click()
    await page.waitForFunction(`document.querySelectorAll(${JSON.stringify(rows)}).length === 2`)
    const address = new URL(page.url())
    assert.deepEqual(JSON.parse(address.searchParams.get('filter') ?? ''), {
      all: [{ attribute: 'city', is: 'eq', value: 'Paris' }],
    })
    await owner.open(`${address.pathname}${address.search}`)
    await hasSize(page, 2)
    await page.waitForFunction(`document.querySelectorAll(${JSON.stringify(rows)}).length === 2`)
    await page.locator('dl dd a').click()
    await page.waitForFunction(`new URLSearchParams(location.search).get('platform') === 'android'`)
    await replaceText(page, 'input[aria-label="Value"]', 'London')
    await hasSize(page, 1)
    await page.waitForFunction(`document.querySelectorAll(${JSON.stringify(rows)}).length === 1`)
    assert.equal(new URL(page.url()).searchParams.get('filter'), null)
  })

  await context.test('a flaw stands at the condition that it is about', async () => {
    await owner.open('/segments/500')
    await page.locator('li[aria-label="Condition 4"] select').fill('last_seen')
    await replaceText(page, 'li[aria-label="Condition 4"] input', '99999')
    const flaw = 'li[aria-label="Condition 4"] [role=alert]'
    await page.waitForSelector(flaw)
    assert.match(String(await page.$eval(flaw, ({ textContent }) => textContent)), /3650/)
  })

  await context.test('a list is imported, with a reason for each refused row', async () => {
    await owner.open('/segments/500')
    await page.waitForSelector('input[type=file]')
    await page.evaluate(`(() => {
      const field = document.querySelector('input[type=file]')
      const files = new DataTransfer()
      files.items.add(new File(['user_id\\nu-3\\nnobody\\n'], 'list.csv', { type: 'text/csv' }))
      field.files = files.files
      field.dispatchEvent(new Event('change', { bubbles: true }))
    })()`)
    await page.waitForFunction(`document.body.innerText.includes('1 people added')`)
    await page.waitForFunction(`document.body.innerText.includes('Line 3')`)
    assert.deepEqual((await segment('500')).filter.any[0], { tag: 'segment:500' })
  })

  await context.test('nothing of WCAG A, AA or best practice is broken, in both themes', async () => {
    for (const path of ['/segments', '/segments/500', '/segments/new']) {
      for (const theme of ['light', 'dark'] as const) {
        await setTheme(page, theme)
        await owner.open(path)
        assert.deepEqual(await axeFindings(page), [], `${path} ${theme}`)
      }
    }
  })

  await context.test('an analyst reads the sentence and the size, and can save nothing', async () => {
    const analyst = await signIn('analyst')
    await analyst.open('/segments/500')
    await analyst.page.waitForSelector('[data-size]')
    const words = await analyst.page.$$eval('main button', (buttons) =>
      buttons.map(({ textContent }) => textContent),
    )
    for (const word of ['Save', 'Archive', 'Add a condition', 'Choose a file'])
      assert.ok(!words.includes(word), words.join())
    assert.deepEqual(analyst.problems, [])
  })

  await context.test('archiving asks for the name', async () => {
    await owner.open('/segments/500')
    await page.locator('button ::-p-text(Archive)').click()
    await replaceText(page, '[role=dialog] input', 'Renamed')
    assert.deepEqual(await axeFindings(page), [])
    await page.locator('[role=dialog] button ::-p-text(Archive for good)').click()
    await page.waitForFunction(`location.pathname === '/segments'`)
    await settled(page)
    assert.notEqual((await segment('500')).archived_at, null)
  })

  // The API refuses the flaw on purpose, and browsers note every refusal in the console.
  assert.deepEqual(
    owner.problems.filter((line) => !line.includes('400')),
    [],
  )
})

/** Presses a button by keyboard. */
async function press(page: Page, name: string): Promise<void> {
  const found = `[...document.querySelectorAll('main button')].find(({ textContent }) => textContent === '${name}')`
  await page.waitForFunction(`${found}?.disabled === false`)
  await page.evaluate(`${found}.focus()`)
  await page.keyboard.press('Enter')
}

/** Goes to the next field for each value, and types it; null leaves the field as it is. */
async function tabAndType(page: Page, ...values: readonly (string | null)[]): Promise<void> {
  for (const value of values) {
    await page.keyboard.press('Tab')
    if (value === null) continue
    await page.keyboard.down('Control')
    await page.keyboard.press('a')
    await page.keyboard.up('Control')
    await page.keyboard.type(value)
  }
}

async function hasSize(page: Page, size: number): Promise<void> {
  await page.waitForSelector(`[data-size="${size}"]`)
}
