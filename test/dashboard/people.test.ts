import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { axeFindings, setTheme, settled, startDashboard } from '../support/dashboard/dashboard.ts'
import { replaceText } from '../support/dashboard/replace-text.ts'
import { call, keyHeaders } from '../support/processes/server.ts'

const MARKUP = '<img src=x onerror="document.title=1">'

test('the pages of people', { skip: whyNoBrowsers() }, async (context) => {
  const { server, brand, signIn } = await startDashboard(context)
  await server.deps.database.query('update brands set profile_merging = true where id = $1', [brand.brandId])
  const headers = keyHeaders(brand)
  const post = async (path: string, body: object) => call(server.port, { path, headers, body })
  const ada = {
    userID: 'u-1001',
    email: 'ada@shop.example',
    user_attributes: { first_name: 'Ada', city: 'London', note: MARKUP },
    tags: ['tea', 'vip'],
  }
  await post('/api/v1/user/create', {
    nv: [ada, { userID: 'u-1002', user_attributes: { first_name: 'Grace' } }],
  })
  await post('/api/event', {
    nv: [
      { userID: 'u-1001', event_name: 'purchase', ltv: '12.90', attributes: { tea: 'Sencha', html: MARKUP } },
    ],
  })
  await post('/api/v1/subscriptions', { platform: 'android', token: 'a'.repeat(40), user_id: 'u-1001' })
  await post('/api/v1/subscriptions', { platform: 'android', token: 'b'.repeat(40), user_id: 'u-1002' })
  const sent = await post('/api/v1/android/send', {
    user_id: 'u-1002',
    title: 'Order shipped',
    message: 'Two parcels',
  })
  const owner = await signIn()
  const { page } = owner

  await context.test('a search finds a person by the first letters, in any case', async () => {
    await owner.open('/people')
    await page.waitForFunction(`document.querySelectorAll('[role=row] :first-child a').length === 2`)
    await page.type('input[type=search]', 'U-1001')
    await page.waitForFunction(`document.querySelectorAll('[role=row] :first-child a').length === 1`)
    assert.equal(new URL(page.url()).searchParams.get('q'), 'U-1001')
    await page.locator('[role=row] :first-child a').click()
    await page.waitForFunction(`document.querySelector('h1')?.textContent === 'Ada'`)
    assert.equal(new URL(page.url()).pathname, '/people/u-1001')
  })

  await context.test(
    'a person shows who they are, their devices and what they did; markup is text',
    async () => {
      await settled(page)
      await page.waitForFunction(`document.body.innerText.includes('purchase')`)
      const text = String(await page.evaluate('document.body.innerText'))
      for (const word of ['ada@shop.example', 'London', 'vip', 'Android', 'Sencha', MARKUP])
        assert.ok(text.includes(word), `${word} is not on the page`)
      assert.equal(await page.$('img'), null)
    },
  )

  await context.test('a switch opts the person out of a topic, and in again', async () => {
    await post('/api/v1/topics', { name: 'offers', title: 'Offers' })
    await owner.open('/people/u-1001')
    const path = '/api/v1/user/preferences?userID=u-1001'
    const optOuts = async () => {
      const { body } = await call(server.port, { path, headers })
      return String(Object(body['preferences']).opt_outs)
    }
    await page.locator('label ::-p-text(Offers)').click()
    await page.waitForFunction(`document.body.innerText.includes('Offers · opted out')`)
    assert.equal(await optOuts(), 'offers')
    await page.locator('label ::-p-text(Offers)').click()
    await page.waitForFunction(`document.body.innerText.includes('Offers · on')`)
    assert.equal(await optOuts(), '')
  })

  await context.test('a merge is undone after the page said what that does', async () => {
    const mail = 'mary@shop.example'
    for (const person of [
      { userID: 'u-2001' },
      { userID: 'u-2002', email: mail },
      { userID: 'u-2001', email: mail },
    ]) {
      const { status, text } = await post('/api/v1/user/create', { nv: [person] })
      assert.equal(status, 200, text)
    }
    await owner.open('/people/u-2001')
    await page.locator('button[aria-label="Undo the merge with u-2002"]').click()
    await page.waitForSelector('[role=dialog] li')
    assert.deepEqual(await axeFindings(page), [])
    await page.locator('[role=dialog] button ::-p-text(Undo the merge)').click()
    await page.waitForFunction(`document.body.innerText.includes('u-2002 is a person of their own again.')`)
    await page.waitForFunction(`document.querySelector('button[aria-label^="Undo the merge"]') === null`)
    await owner.open('/people/u-2002')
    await page.waitForFunction(`document.querySelector('h1')?.textContent.includes('u-2002')`)
    await page.waitForFunction(`document.body.innerText.includes('Merge with u-2001 undone')`)
    await page.locator('main a ::-p-text(Page of u-2001)').click()
    await page.waitForFunction(`location.pathname === '/people/u-2001'`)
    await page.waitForFunction(`document.body.innerText.includes('Merge with u-2002 undone')`)
  })

  let draft = ''
  await context.test('Why not? tells which check stopped a message', async () => {
    assert.equal(sent.status, 200, sent.text)
    await owner.open(`/people/u-1001?why=${encodeURIComponent(`notification:${idOf(sent.body)}`)}`)
    await page.waitForFunction(`document.body.innerText.includes('The notification was for somebody else.')`)
  })

  await context.test('Why not? tells which check would stop a draft', async () => {
    const made = await post('/api/v1/campaigns', {
      name: 'Teas',
      audience: { tag: 'coffee' },
      content: { title: 'Teas', message: 'Six new ones.' },
    })
    assert.equal(made.status, 200, made.text)
    const id = String(Object(made.body['campaign'])['campaign_id'])
    draft = `/people/u-1001?why=${encodeURIComponent(`campaign:${id}`)}`
    await owner.open(draft)
    await page.waitForSelector('[data-check=subscribed][data-result=passed]')
    await page.waitForSelector('[data-check=audience][data-result=failed]')
    await page.waitForSelector('[data-check=approval][data-result=not_reached]')
    await page.waitForFunction(`document.body.innerText.includes('carries the tag coffee')`)
  })

  await context.test('nothing of WCAG A, AA or best practice is broken, in both themes', async () => {
    for (const path of ['/people', '/people/u-1001', draft]) {
      for (const theme of ['light', 'dark'] as const) {
        await setTheme(page, theme)
        await owner.open(path)
        assert.deepEqual(await axeFindings(page), [], `${path} ${theme}`)
      }
    }
  })

  await context.test('an analyst is offered neither export nor erasure', async () => {
    const analyst = await signIn('analyst')
    await analyst.open('/people/u-1001')
    const words = await analyst.page.$$eval('main button', (buttons) =>
      buttons.map(({ textContent }) => textContent),
    )
    assert.ok(!words.includes('Erase') && !words.includes('Export'), words.join())
    assert.deepEqual(analyst.problems, [])
  })

  await context.test('an erasure asks for the id, and the person is gone', async () => {
    await owner.open('/people/u-1002')
    await page.locator('button ::-p-text(Erase)').click()
    await replaceText(page, '[role=dialog] input', 'u-1002')
    assert.deepEqual(await axeFindings(page), [])
    await page.locator('[role=dialog] button ::-p-text(Erase for good)').click()
    await page.waitForFunction(`location.pathname === '/people'`)
    const { body } = await call(server.port, { path: '/api/v1/users?search=u-1002', headers })
    assert.deepEqual(body['users'], [])
  })

  assert.deepEqual(owner.problems, [])
})

function idOf(body: Readonly<Record<string, unknown>>): string {
  return String(Object(body['notification']).id)
}
