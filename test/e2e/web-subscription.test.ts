import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startChromium } from '../support/browser/chromium.ts'
import type { ShownNotification } from '../support/browser/desktop.ts'
import { startFirefox } from '../support/browser/firefox.ts'
import { newPage } from '../support/browser/launch.ts'
import { startPlace } from '../support/browser/place.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { tell } from '../support/browser/shop.ts'
import { type Visit, visitShop } from '../support/browser/visit.ts'
import { until } from '../support/until.ts'

const BROWSERS = { chromium: startChromium, firefox: startFirefox } as const
test('a subscription stays fresh, and is that of whoever uses the browser', {
  skip: whyNoBrowsers(),
}, async (context) => {
  const place = await startPlace(context)
  for (const [name, start] of Object.entries(BROWSERS)) {
    await context.test(name, async (inner) => {
      const visit = await visitShop(inner, place, start)
      const { page, beckon, origin, allowNotifications } = visit
      await page.waitForFunction('beckon.q === undefined')
      await allowNotifications(origin)
      await tell(page, ['consent', 'granted'])
      await tell(page, ['subscribe', { prompt: 'native' }])
      assert.deepEqual(await devices(visit), [{ user_id: null, state: 'live' }])
      await tell(page, ['user', { userID: 'ann' }])
      assert.deepEqual(await devices(visit), [{ user_id: 'ann', state: 'live' }])
      await tell(page, ['user', { userID: 'bob' }])
      assert.deepEqual(await devices(visit), [{ user_id: 'bob', state: 'live' }])
      await tell(page, ['logout'])
      assert.deepEqual(await devices(visit), [{ user_id: null, state: 'live' }])

      await beckon.call('PUT /api/v1/brand/channels/web', { body: { rotate: true } })
      await page.evaluate(FORGET_KEY)
      await page.reload()
      await until(async () => (await devices(visit)).length === 2, {
        what: 'a subscription with the new key',
      })
      assert.deepEqual(await devices(visit), [
        { user_id: null, state: 'unsubscribed' },
        { user_id: null, state: 'live' },
      ])
      await proveReceipts(visit)
      await proveFocus(visit)
      await proveChange(visit)
      await tell(page, ['optOut'])
      assert.deepEqual(
        (await devices(visit)).map(({ state }) => state),
        ['unsubscribed', 'unsubscribed', 'unsubscribed'],
      )
    })
  }
})

async function devices({ beckon }: Visit) {
  const { subscriptions } = await beckon.call('GET /api/v1/subscriptions')
  return subscriptions.map(({ user_id, state }) => ({ user_id, state }))
}

/** What nobody hears is written down, and told by the next page. */
async function proveReceipts({ page, beckon, desktop, proxy }: Visit): Promise<void> {
  proxy.disconnect()
  const id = await broadcast(beckon, { title: 'Unheard', message: 'x' })
  await until(() => desktop.shown.some(({ title }) => title === 'Unheard'), { what: 'the notification' })
  await until(() => proxy.failures > 0, { what: 'a receipt that nobody hears' })
  proxy.reconnect()
  await page.reload()
  const isCounted = async (): Promise<boolean> => {
    const { receipts } = await beckon.call('GET /api/v1/notifications/{id}/receipts', { path: { id } })
    return receipts['received'] === 1
  }
  await until(isCounted, { what: 'the receipt' })
}

/** A click brings the tab to the front that shows the page already. */
async function proveFocus({ page, browser, beckon, desktop }: Visit): Promise<void> {
  const other = await newPage(browser)
  const before = (await browser.pages()).length
  const id = await broadcast(beckon, { title: 'Look', message: 'x', url: page.url() })
  const found = (): ShownNotification | undefined => desktop.shown.find(({ title }) => title === 'Look')
  await until(() => found() !== undefined, { what: 'the notification' })
  const shown = found()
  if (shown !== undefined) desktop.clickBody(shown)
  const isCounted = async (): Promise<boolean> => {
    const { receipts } = await beckon.call('GET /api/v1/notifications/{id}/receipts', { path: { id } })
    return receipts['clicked'] === 1
  }
  await until(isCounted, { what: 'the click' })
  assert.equal((await browser.pages()).length, before)
  await other.close()
}

/** A browser that lost its subscription gets another from its worker, with no page that helps. */
async function proveChange(visit: Visit): Promise<void> {
  const { page, origin, beckon, desktop, losePush } = visit
  // A page of the shop would see to it as well.
  await page.goto('about:blank')
  await losePush()
  await until(async () => (await devices(visit)).length === 3, { what: 'a subscription made by the worker' })
  assert.deepEqual(
    (await devices(visit)).map(({ state }) => state),
    ['unsubscribed', 'unsubscribed', 'live'],
  )
  await broadcast(beckon, { title: 'Found again', message: 'x' })
  await until(() => desktop.shown.some(({ title }) => title === 'Found again'), {
    what: 'a push that reaches it',
  })
  await page.goto(`${origin}/back`)
  await page.waitForFunction('beckon.q === undefined')
}

async function broadcast(beckon: Visit['beckon'], body: { title: string; message: string; url?: string }) {
  const { notification } = await beckon.call('POST /api/v1/web/broadcast/all', { body })
  return notification.id
}

/** As if a day had gone by: the key is asked for once a day. */
const FORGET_KEY = `new Promise((resolve) => {
  indexedDB.open('beckon').onsuccess = ({ target: { result } }) => {
    const transaction = result.transaction('facts', 'readwrite')
    transaction.objectStore('facts').put({ value: 'old', askedAt: 0 }, 'pushKey')
    transaction.oncomplete = () => resolve(result.close())
  }
})`
