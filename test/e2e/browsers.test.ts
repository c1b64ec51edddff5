import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { endWith } from '../support/beckon.ts'
import type { RunningBrowser } from '../support/browser/browser.ts'
import { startChromium } from '../support/browser/chromium.ts'
import { startFirefox } from '../support/browser/firefox.ts'
import { type Place, startPlace } from '../support/browser/place.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { startSite } from '../support/browser/site.ts'
import { keyHeaders } from '../support/server.ts'
import { until } from '../support/until.ts'

const PAGE = `<!doctype html><title>plain</title><script>
async function subscribe(key) {
  await navigator.serviceWorker.register('/sw.js')
  const registration = await navigator.serviceWorker.ready
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  return JSON.stringify(made)
}
async function unsubscribe() {
  const registration = await navigator.serviceWorker.ready
  await (await registration.pushManager.getSubscription()).unsubscribe()
}
</script>`

const WORKER = `
self.addEventListener('push', (event) => {
  const { title, message, url } = event.data.json()
  event.waitUntil(self.registration.showNotification(title, { body: message, data: url }))
})
self.addEventListener('notificationclick', (event) => {
  event.waitUntil(self.clients.openWindow(event.notification.data))
})`

const BROWSERS = { chromium: startChromium, firefox: startFirefox } as const

test('real browsers', { skip: whyNoBrowsers(), timeout: 180_000 }, async (context) => {
  const place = await startPlace(context)
  const origin = await startSite(context, { '/': ['text/html', PAGE], '/sw.js': ['text/javascript', WORKER] })
  for (const [name, start] of Object.entries(BROWSERS)) {
    await context.test(`${name} reads what Beckon encrypted for it`, async (inner) => {
      await proveEncryption(inner, { name, place, origin, start })
    })
  }
})

type Plain = {
  readonly name: string
  readonly place: Place
  readonly origin: string
  readonly start: (place: Place) => Promise<RunningBrowser>
}

async function proveEncryption(context: TestContext, { name, place, origin, start }: Plain): Promise<void> {
  const { browser, push, allowNotifications } = await start(place)
  endWith(context, async () => browser.close())
  await allowNotifications(origin)
  const page = await browser.newPage()
  await page.goto(origin)
  const { public_key: key } = await call(place, '/api/v1/web-push-key')
  const subscription = JSON.parse(String(await page.evaluate(`subscribe(${JSON.stringify(key)})`)))
  await call(place, '/api/v1/subscriptions', { platform: 'web', subscription, user_id: name })

  const shownBefore = place.desktop.shown.length
  const content = { title: 'Grüße', message: 'héllo 🎉', url: `${origin}/landing` }
  await call(place, '/api/v1/web/send', { user_id: name, ...content })
  await until(() => place.desktop.shown.length > shownBefore, { what: 'the notification on the desktop' })
  const shown = place.desktop.shown[shownBefore]
  assert.ok(shown !== undefined)
  assert.equal(shown.title, content.title)
  assert.match(shown.body, /héllo 🎉$/)
  place.desktop.clickBody(shown)
  const isLanded = async (): Promise<boolean> =>
    (await browser.pages()).some((open) => open.url() === content.url)
  await until(isLanded, { what: 'the landing page' })

  await page.evaluate('unsubscribe()')
  await call(place, '/api/v1/web/send', { user_id: name, ...content })
  await until(() => push.answered.at(-1) === 410, { what: 'the push service to call it gone' })
}

async function call(
  { beckon, brand }: Place,
  path: string,
  body?: object,
): Promise<Readonly<Record<string, unknown>>> {
  const headers = { ...keyHeaders(brand), 'content-type': 'application/json' }
  const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const reply = await fetch(`${beckon.url}${path}`, { headers, ...post })
  const answer: Readonly<Record<string, unknown>> = Object(await reply.json())
  assert.equal(answer['status_code'], '200', JSON.stringify(answer))
  return answer
}
