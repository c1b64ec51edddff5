import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { axeFindings, setTheme, settled, startDashboard } from '../support/dashboard/dashboard.ts'
import { replaceText } from '../support/dashboard/replace-text.ts'
import { call } from '../support/processes/server.ts'
import { until } from '../support/until.ts'

test('the frame of the dashboard', { skip: whyNoBrowsers() }, async (context) => {
  const { server, signIn, url } = await startDashboard(context)
  const owner = await signIn()

  await context.test('the bar of a phone fits, and a sheet has everything else by name', async () => {
    const { page } = owner
    await page.setViewport({ width: 380, height: 800 })
    await owner.open('/')
    const fits = `(() => { const bar = document.querySelector('nav'); return bar.scrollWidth <= bar.clientWidth })()`
    assert.equal(await page.evaluate(fits), true)
    const widths = await page.$$eval('nav > button, nav a', (all) =>
      all.map((one) => one.getBoundingClientRect().width).filter((width) => width > 0),
    )
    assert.equal(widths.length, 8)
    for (const width of widths) assert.ok(width >= 44, `${width}`)
    await page.locator('nav > button[aria-expanded=false]:last-child').click()
    await page.waitForSelector('nav[data-open=true]')
    assert.equal(await page.evaluate(fits), true)
    assert.deepEqual(await axeFindings(page), [])
    await page.keyboard.press('Escape')
    await page.waitForSelector('nav[data-open=false]')
    await page.locator('nav > button[aria-expanded=false]:last-child').click()
    await page.locator('nav a[title="Events"]').click()
    await page.waitForFunction(`location.pathname === '/events'`)
    await page.waitForSelector('nav[data-open=false]')
    await page.setViewport({ width: 1360, height: 800 })
  })

  await context.test('an owner sees every page in the rail, and the brand', async () => {
    await owner.open('/')
    const words = await owner.page.$$eval('nav a', (links) => links.map(({ textContent }) => textContent))
    assert.deepEqual(words, [
      'Home',
      'Compose',
      'Messages',
      'Templates',
      'People',
      'Segments',
      'Journeys',
      'Events',
      'Devices',
      'Demo shop',
      'Guides and API',
      'Settings',
    ])
  })

  await context.test(
    'the first page loads at most 300 KiB of script and style, each other at most 80',
    async () => {
      const { page } = await signIn()
      await page.goto(`${url}/`)
      await settled(page)
      const first = Number(await page.evaluate(LOADED_BYTES))
      assert.ok(first > 0 && first <= 300 * 1024, `${first} bytes`)
      let before = first
      for (const name of [
        'Compose',
        'Messages',
        'Templates',
        'People',
        'Segments',
        'Journeys',
        'Events',
        'Devices',
        'Settings',
      ]) {
        await page.locator(`nav a[title="${name}"]`).click()
        await page.waitForFunction(`document.title.includes('·') && location.pathname !== '/'`)
        await settled(page)
        const now = Number(await page.evaluate(LOADED_BYTES))
        assert.ok(now - before <= 80 * 1024, `${name}: ${now - before} bytes`)
        before = now
      }
    },
  )

  await context.test('nothing of WCAG A, AA or best practice is broken, in both themes', async () => {
    for (const theme of ['light', 'dark'] as const) {
      await setTheme(owner.page, theme)
      assert.deepEqual(await axeFindings(owner.page), [], theme)
    }
    await owner.page.locator('nav button[aria-haspopup=menu]').click()
    await owner.page.waitForSelector('[role=menu]')
    assert.deepEqual(await axeFindings(owner.page), [], 'menu')
    await owner.page.keyboard.press('Escape')
  })

  await context.test('what was done on a page can be copied as the call that does the same', async () => {
    const { page } = owner
    await owner.open('/settings/topics')
    await replaceText(page, '::-p-aria([name="Title for people"][role="textbox"])', 'Offers')
    await replaceText(page, '::-p-aria([name="Name in calls"][role="textbox"])', 'offers')
    await page.locator('main ::-p-text(Make the topic)').click()
    await page.waitForFunction(`document.querySelector('table')?.innerText.includes('offers')`)
    await page.locator('nav button[title="Calls as curl"]').click()
    const calls = `[...document.querySelectorAll('[role=dialog] code')].map(({ innerText }) => innerText)`
    await page.waitForFunction(`${calls}[0] === 'POST /api/v1/topics'`)
    const shown: unknown = await page.evaluate(calls)
    assert.ok(Array.isArray(shown) && shown.includes('GET /api/v1/topics'), String(shown))
    assert.deepEqual(await axeFindings(page), [])
    await page.keyboard.press('Escape')
  })

  await context.test('g and a letter leads to a page', async () => {
    // A new brand's first page has the focus in the field for the first message.
    await owner.open('/devices')
    await owner.page.keyboard.press('g')
    await owner.page.keyboard.press('p')
    await owner.page.waitForFunction(`location.pathname === '/people'`)
  })

  await context.test('an analyst sees no page to compose', async () => {
    const analyst = await signIn('analyst')
    await analyst.open('/')
    const words = await analyst.page.$$eval('nav a', (links) => links.map(({ textContent }) => textContent))
    assert.ok(!words.includes('Compose'))
    assert.deepEqual(analyst.problems, [])
  })

  await context.test('no page may frame it, and no script of others may run', async () => {
    const { headers } = await call(server.port, { path: '/people/anybody' })
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /script-src 'self';/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe/)
    assert.equal(headers['x-frame-options'], 'DENY')
  })

  await context.test(
    'a page of another origin can neither act with the session nor show the page',
    async () => {
      const attacker = await serveAttack(context, url)
      const { page } = await signIn()
      const refusals: string[] = []
      page.on('response', (response) => {
        if (response.request().method() !== 'POST') return
        refusals.push(`${response.status()} ${new URL(response.url()).pathname}`)
      })
      await page.goto(attacker)
      const framed = await page.waitForFrame((frame) => frame.url().startsWith('chrome-error:'))
      assert.equal(await framed.$('#root'), null)
      await page.locator('button').click()
      await until(() => refusals.length === 3, { what: 'three refusals' })
      // The browser did send the cookie: without one the reply would be 401.
      assert.deepEqual(refusals.toSorted(), [
        '403 /api/v1/segments',
        '403 /auth/sign-out',
        '403 /auth/sign-out',
      ])
      await page.goto(`${url}/segments`)
      await settled(page)
      assert.doesNotMatch(String(await page.evaluate('document.body.innerText')), /stolen/)
    },
  )

  assert.deepEqual(owner.problems, [])
  assert.match(url, /^http:\/\/localhost/)
})

/** Scripts and style sheets as they came over the wire. */
const LOADED_BYTES = `performance.getEntriesByType('resource')
  .filter(({ name }) => /\\.(?:js|css)$/.test(name))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`

/**
 * Serves a page on another port of the same host, to which the browser sends the cookies too. It frames the dashboard, and
 * its button tries what a page can do without permission: two calls and a form.
 */
async function serveAttack(context: TestContext, url: string): Promise<string> {
  const segment = JSON.stringify({ name: 'stolen', filter: { attribute: 'email', exists: true } })
  const page = `<!doctype html><title>Win a teapot</title>
    <iframe src="${url}/"></iframe><iframe name="there"></iframe>
    <form method="post" action="${url}/auth/sign-out" target="there"></form>
    <button onclick='
      const post = { method: "POST", mode: "no-cors", credentials: "include" };
      fetch("${url}/api/v1/segments", { ...post, body: ${JSON.stringify(segment)} });
      fetch("${url}/auth/sign-out", post);
      document.forms[0].submit()'>Win</button>`
  const other = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  context.after(() => other.close())
  const address = other.address()
  return `http://localhost:${typeof address === 'object' && address !== null ? address.port : 0}/`
}
