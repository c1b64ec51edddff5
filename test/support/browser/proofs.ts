import assert from 'node:assert/strict'
import type { Client } from '../../../web/client/client.ts'
import { until } from '../until.ts'
import type { Desktop, ShownNotification } from './desktop.ts'
import { newPage } from './launch.ts'
import { tell } from './shop.ts'
import type { Visit } from './visit.ts'

/** One visit is proved step by step: each goes on where the one before ended. */
export type Proof = Visit

type StoredEvent = {
  readonly userID: string
  readonly event_name: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly event_id: string | null
  readonly is_before_creation: boolean
}

const USER = 'ada'
const CONTENT = { title: 'Grüße', message: 'héllo 🎉' }

export async function consent({ page, proxy, beckon }: Proof): Promise<void> {
  await page.waitForFunction('beckon.q === undefined')
  assert.deepEqual(callsOf(proxy.seen.map(({ endpoint }) => endpoint)), [])
  await tell(page, ['consent', 'granted'])
  await until(async () => (await namesOf(beckon)).includes('page_viewed'), { what: 'the page view' })
  const [view] = (await eventsOf(beckon)).filter(({ event_name }) => event_name === 'page_viewed')
  assert.equal(view?.attributes['path'], '/welcome')
}

export async function identify({ page, beckon }: Proof): Promise<void> {
  const outcomes = await tell(
    page,
    ['user', { userID: USER, email: 'ada@example.com' }, { plan: 'gold' }],
    ['event', 'cart_add', { sku: 'tea' }, 4.9],
    ['event', 'cart_paid'],
  )
  assert.deepEqual(outcomes, [{ state: 'stored' }, { state: 'stored' }, { state: 'stored' }])
  const events = (await eventsOf(beckon)).filter(({ userID }) => userID === USER)
  const order = events.map(({ event_name }) => event_name)
  assert.deepEqual(
    order.filter((name) => /^(?:page_viewed|cart_)/.test(name)),
    ['page_viewed', 'cart_add', 'cart_paid'],
  )
  assert.ok(
    events
      .filter(({ event_name }) => event_name.startsWith('cart_'))
      .every((event) => !event.is_before_creation),
  )
}

export async function subscribe({ page, origin, beckon, allowNotifications }: Proof): Promise<void> {
  const asked = tell(page, ['subscribe', { prompt: 'soft' }])
  if ((await page.evaluate('Notification.permission')) === 'default') {
    const yes = await page.waitForSelector('>>> dialog[open] button + button')
    await allowNotifications(origin)
    await yes?.click()
  }
  assert.deepEqual(await asked, [{ state: 'subscribed' }])
  const { subscriptions } = await beckon.call('GET /api/v1/subscriptions')
  assert.deepEqual(
    subscriptions.map(({ platform, user_id, state }) => ({ platform, user_id, state })),
    [{ platform: 'web', user_id: USER, state: 'live' }],
  )
}

export async function show(proof: Proof): Promise<void> {
  const { desktop, page, push, browser } = proof
  const image = `https://${push.place}/hero.png`
  await broadcast(proof, { ...CONTENT, hero_image_url: image, ...buttons(proof) })
  await until(() => desktop.shown.length > 0, { what: 'the notification on the desktop' })
  // The push service brings it again; what comes after it tells when that is over.
  push.repeat()
  await broadcast(proof, { title: 'Second', message: 'x' })
  await until(() => titlesOn(desktop).join() === `${CONTENT.title},Second`, { what: 'two notifications' })
  const first = standing(desktop, CONTENT.title)
  assert.match(first.body, /héllo 🎉$/)
  const isChromium = (await browser.version()).startsWith('Chrome')
  const labels = [...first.actions.values()]
  assert.deepEqual(
    labels.filter((label) => /^(?:One|Two)$/.test(label)),
    isChromium ? ['One', 'Two'] : [],
  )
  const images: unknown = await page.evaluate(
    `navigator.serviceWorker.ready.then((ready) => ready.getNotifications()).then((all) => all.map(({ title, image }) => title + ' ' + (image || 'none')).sort())`,
  )
  assert.deepEqual(images, [`${CONTENT.title} ${isChromium ? image : 'none'}`, 'Second none'])
}

export async function click(proof: Proof): Promise<void> {
  const { desktop, origin, browser, beckon } = proof
  const first = standing(desktop, CONTENT.title)
  const hasButtons = [...first.actions.values()].includes('Two')
  if (hasButtons) desktop.click(first, 'Two')
  else desktop.clickBody(first)
  const landing = `${origin}${hasButtons ? '/two' : '/landing'}`
  await until(async () => (await browser.pages()).some((open) => open.url() === landing), {
    what: 'the landing page',
  })

  const [newer, older] = (await beckon.call('GET /api/v1/notifications')).notifications
  const clicked = await receiptsUntil(beckon, older?.id, 'clicked')
  assert.deepEqual(clicked, { received: 1, clicked: 1, dismissed: 0, button: hasButtons ? 1 : 0 })
  desktop.dismiss(standing(desktop, 'Second'))
  const dismissed = await receiptsUntil(beckon, newer?.id, 'dismissed')
  assert.deepEqual(dismissed, { received: 1, clicked: 0, dismissed: 1, button: 0 })
}

/** A notification that a person has dismissed has no successor with its tag, so only the worker's own note holds it back. */
export async function repeat(proof: Proof): Promise<void> {
  const { desktop, push, beckon } = proof
  const timesShown = desktop.shown.filter(({ title }) => title === 'Second').length
  push.repeat()
  await broadcast(proof, { title: 'Third', message: 'x' })
  const [third] = (await beckon.call('GET /api/v1/notifications')).notifications
  await until(() => titlesOn(desktop).includes('Third'), { what: 'the notification that came after' })
  desktop.dismiss(standing(desktop, 'Third'))
  await receiptsUntil(beckon, third?.id, 'dismissed')
  assert.equal(desktop.shown.filter(({ title }) => title === 'Second').length, timesShown)
}

export async function offline({ page, proxy, beckon }: Proof): Promise<void> {
  await page.bringToFront()
  proxy.disconnect()
  await page.evaluate(`void beckon('event', 'offline_1'), void beckon('event', 'offline_2')`)
  await until(() => proxy.lost.some(({ body }) => body.includes('offline_2')), { what: 'a try that fails' })
  await page.reload()
  await page.evaluate(`void beckon('event', 'offline_3')`)
  proxy.reconnect()
  const isStored = async (): Promise<boolean> => (await namesOf(beckon)).includes('offline_3')
  await until(isStored, { what: 'what happened offline' })
  const names = (await namesOf(beckon)).filter((name) => name.startsWith('offline_'))
  assert.deepEqual(names, ['offline_1', 'offline_2', 'offline_3'])
}

export async function tabs({ page, browser, origin, proxy, beckon }: Proof): Promise<void> {
  const other = await newPage(browser)
  await other.goto(`${origin}/other`)
  await tell(other, ['event', 'tab_ready'])
  const seenBefore = proxy.seen.length
  await Promise.all([tell(page, ...eventsIn('a')), tell(other, ...eventsIn('b'))])
  const sent = proxy.seen
    .slice(seenBefore)
    .flatMap(({ body }) => [...body.matchAll(/"event_name":"(tab_[ab]_\d)"/g)])
  assert.equal(sent.length, 10)
  const names = (await namesOf(beckon)).filter((name) => /^tab_[ab]/.test(name))
  assert.deepEqual(
    names.toSorted(),
    [...eventsIn('a'), ...eventsIn('b')].map(([, name]) => name),
  )
  await other.close()
}

export async function unsubscribe(proof: Proof): Promise<void> {
  const { page, push, beckon } = proof
  await page.evaluate(
    'navigator.serviceWorker.ready.then((ready) => ready.pushManager.getSubscription()).then((one) => one.unsubscribe())',
  )
  await broadcast(proof, CONTENT)
  await until(() => push.answered.at(-1) === 410, { what: 'the push service to say that it is gone' })
  const stateOf = async () =>
    (await beckon.call('GET /api/v1/subscriptions', { query: { state: 'gone' } })).subscriptions
  await until(async () => (await stateOf()).length === 1, { what: 'the subscription to be gone' })
}

/** The one notification with this title: a second one would be a push shown twice. */
function standing(desktop: Desktop, title: string): ShownNotification {
  const [found, ...more] = [...desktop.standing.values()].filter((one) => one.title === title)
  assert.ok(found !== undefined && more.length === 0, `${title} stands there ${more.length + 1} times`)
  return found
}

function titlesOn(desktop: Desktop): readonly string[] {
  return [...desktop.standing.values()].map(({ title }) => title).toSorted()
}

/** What devices told of a notification, as soon as they told this. */
async function receiptsUntil(beckon: Client, id: string | undefined, kind: 'clicked' | 'dismissed') {
  assert.ok(id !== undefined)
  const read = async () =>
    (await beckon.call('GET /api/v1/notifications/{id}/receipts', { path: { id } })).receipts
  await until(async () => (await read())[kind] === 1, { what: `the receipt: ${kind}` })
  return read()
}

function eventsIn(tab: string): readonly (readonly string[])[] {
  return [1, 2, 3, 4, 5].map((at) => ['event', `tab_${tab}_${at}`])
}

function buttons({ origin }: Proof) {
  return {
    url: `${origin}/landing`,
    button_one_title: 'One',
    button_one_url: `${origin}/one`,
    button_two_title: 'Two',
    button_two_url: `${origin}/two`,
  }
}

async function broadcast(
  { beckon }: Proof,
  body: Readonly<Record<string, string>> & typeof CONTENT,
): Promise<void> {
  await beckon.call('POST /api/v1/web/broadcast/all', { body })
}

/** Requests about the visitor; scripts may be loaded before anybody agreed to anything. */
function callsOf(endpoints: readonly string[]): readonly string[] {
  return endpoints.filter((endpoint) => !/ \/(?:sdk|sw)\./.test(endpoint))
}

/** Oldest first. */
async function eventsOf(beckon: Client): Promise<readonly StoredEvent[]> {
  const { events } = await beckon.call('GET /api/v1/events', { query: { limit: 500 } })
  return events.map((event): StoredEvent => Object(event)).toReversed()
}

async function namesOf(beckon: Client): Promise<readonly string[]> {
  return (await eventsOf(beckon)).map(({ event_name }) => event_name)
}
