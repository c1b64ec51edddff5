import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { newPage } from '../support/browser/launch.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import { startDashboard } from '../support/dashboard/dashboard.ts'
import { call, keyHeaders } from '../support/processes/server.ts'
import { PASSWORD, Page as Phone } from '../support/team/members.ts'

test('a page that is left open', { skip: whyNoBrowsers() }, async (context) => {
  const { server, brand, signIn, url } = await startDashboard(context)
  const campaigns = new CampaignCalls(server)
  const owner = await signIn()
  const { page } = owner

  await context.test('waits for a server that restarts, with what is half written, and goes on', async () => {
    const tail = await newPage(page.browserContext())
    await tail.goto(`${url}/events`)
    await sees(tail, 'curl -X POST')
    await page.bringToFront()
    await owner.open('/compose')
    await page.type('#compose-title', 'The autumn teas')
    const listenAgain = await server.halt()
    await sees(tail, 'Beckon does not answer.')
    await sees(page, 'Beckon does not answer.')
    await page.type('#compose-message', 'Three first flushes arrived.')
    await page.evaluate(`[...document.querySelectorAll('label')]
      .find(({ textContent }) => textContent === 'Everyone').click()`)
    await sees(page, 'The server does not answer.')
    await listenAgain()
    await page.waitForFunction(`!document.body.innerText.includes('does not answer')`)
    assert.equal(await valueOf(page, '#compose-title'), 'The autumn teas')
    assert.equal(await valueOf(page, '#compose-message'), 'Three first flushes arrived.')
    await page.waitForFunction(`/^\\/compose\\/\\d+$/.test(location.pathname)`)
    assert.deepEqual(
      (await campaigns.list(brand)).map(({ content }) => Object(content).title),
      ['The autumn teas'],
    )
    await call(server.port, {
      path: '/api/event',
      headers: keyHeaders(brand),
      body: { nv: [{ userID: 'u-1001', event_name: 'signup', attributes: {} }] },
    })
    await sees(tail, 'u-1001')
    await tail.close()
    await page.bringToFront()
  })

  await context.test('says that Beckon was updated, and loads a page whose file is gone', async () => {
    const loads = await actAsUpdated(page)
    const listenAgain = await server.halt()
    await sees(page, 'Beckon does not answer.')
    // The chunk of this page was never loaded, and its file is gone when the server is back.
    await page.evaluate(`document.querySelector('nav a[href="/journeys"]').click()`)
    await listenAgain()
    await page.waitForFunction(
      `location.pathname === '/journeys' && document.querySelector('h1')?.textContent === 'Journeys'`,
    )
    assert.deepEqual(loads(), ['/journeys'])
    const again = await server.halt()
    await sees(page, 'Beckon does not answer.')
    await again()
    await sees(page, 'Beckon was updated.')
  })

  await context.test('leads to the sign-in when the session is over, and back', async () => {
    await owner.open('/people?q=ada')
    await server.asOwner(`update member_sessions set expires_at = now() - interval '1 hour'`)
    await page.waitForFunction(`location.pathname === '/sign-in'`)
    await page.locator('input[type=email]').fill(owner.email)
    await page.locator('input[type=password]').fill(PASSWORD)
    await page.click('button[type=submit]')
    await page.waitForFunction(`location.pathname + location.search === '/people?q=ada'`)
  })

  await context.test('shows nothing more when its session is ended elsewhere', async () => {
    const elsewhere = await newPage(page.browserContext())
    await elsewhere.goto(`${url}/devices`)
    await elsewhere.waitForSelector('nav a[href="/people"]')
    const phone = new Phone(server)
    const headers = { origin: url, host: new URL(url).host }
    const body = { email: owner.email, password: PASSWORD }
    assert.equal((await phone.call({ path: '/auth/sign-in', headers, body })).status, 200)
    const { body: listed } = await phone.call({ path: '/api/v1/me/sessions', headers })
    for (const session of Object(listed['sessions'])) {
      const { id, current: isOwn } = Object(session)
      const ended = { method: 'DELETE', path: `/api/v1/me/sessions/${String(id)}`, headers }
      if (isOwn === false) assert.equal((await phone.call(ended)).status, 200)
    }
    for (const tab of [page, elsewhere]) {
      await tab.bringToFront()
      await tab.waitForFunction(`location.pathname === '/sign-in'`)
      assert.equal(await tab.$('nav'), null)
    }
  })
})

async function sees(page: Page, text: string): Promise<void> {
  await page.bringToFront()
  await page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`)
}

async function valueOf(page: Page, selector: string): Promise<string> {
  return String(await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).value`))
}

/**
 * Answers as a Beckon with another dashboard: its document names another script, and chunks of before are gone until the
 * page is loaded anew. Returns the addresses that were loaded as documents.
 */
async function actAsUpdated(page: Page): Promise<() => readonly string[]> {
  const loads: string[] = []
  await page.setRequestInterception(true)
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.isNavigationRequest()) loads.push(pathname)
    const isGone = loads.length === 0 && pathname.startsWith('/dashboard/chunk-')
    const isAsked = pathname === '/' && !request.isNavigationRequest()
    if (isGone) void request.respond({ status: 404 })
    else if (isAsked) void request.respond({ status: 200, body: '<script src="/dashboard/main-newer.js">' })
    else void request.continue()
  })
  return () => loads
}
