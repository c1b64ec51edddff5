import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startChromium } from '../support/browser/chromium.ts'
import { startFirefox } from '../support/browser/firefox.ts'
import { startPlace } from '../support/browser/place.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { SLOW_PAGE, tell } from '../support/browser/shop.ts'
import { type Visit, visitShop } from '../support/browser/visit.ts'
import { atLength } from '../support/length.ts'

const BROWSERS = { chromium: startChromium, firefox: startFirefox } as const
/** A page that is left in the middle of a write is a matter of luck, so it is left often. */
const ROUNDS = atLength(20)

test('what is told before a page is left is not lost', {
  skip: whyNoBrowsers(),
}, async (context) => {
  const place = await startPlace(context)
  for (const [name, start] of Object.entries(BROWSERS)) {
    await context.test(name, async (inner) => {
      const visit = await visitShop(inner, place, start)
      await inner.test('before consent it stays with the tab, and is sent after a yes', async () =>
        proveHeld(visit),
      )
      await inner.test('two events in the tick that leaves the page are stored, once', async () =>
        proveLeaving(visit),
      )
      await inner.test('an event after user, in the tick that leaves, belongs to the person', async () =>
        proveUser(visit),
      )
      await inner.test('what a page without the script was told, the next one takes up', async () =>
        proveEarly(visit),
      )
      await inner.test('a no forgets what was left', async () => proveForgotten(visit))
    })
  }
})

async function proveHeld(visit: Visit): Promise<void> {
  await tellAndLeave(visit, { events: ['held_1', 'held_2'], to: '/asked' })
  await tellAndLeave(visit, { events: ['held_3'], to: '/asked-again' })
  assert.deepEqual(
    visit.proxy.seen.filter(({ endpoint }) => endpoint.startsWith('POST')),
    [],
  )
  await loaded(visit)
  await tell(visit.page, ['consent', 'granted'], ['event', 'held_last'])
  const events = await eventsOf(visit)
  const names = events.map(({ event_name }) => event_name)
  assert.deepEqual(
    names.filter((name) => name.startsWith('held_')),
    ['held_1', 'held_2', 'held_3', 'held_last'],
  )
  assert.equal(names.filter((name) => name === 'session_started').length, 1)
  const views = events.filter(({ event_name }) => event_name === 'page_viewed')
  assert.deepEqual(
    views.map(({ attributes }) => attributes['path']),
    ['/welcome', '/asked', '/asked-again'],
  )
}

async function proveLeaving(visit: Visit): Promise<void> {
  const rounds = Array.from({ length: ROUNDS }, (_, round) => [`left_${round}_a`, `left_${round}_b`])
  for (const events of rounds) await tellAndLeave(visit, { events, to: `/after-${events[0]}` })
  await loaded(visit)
  // It comes after all that earlier pages left, so once it is stored, so are they.
  await tell(visit.page, ['event', 'stayed'])
  const names = (await eventsOf(visit)).map(({ event_name }) => event_name)
  // The list is in the order of arrival, and one page's beacon may overtake another's.
  assert.deepEqual(names.filter((name) => name.startsWith('left_')).toSorted(), rounds.flat().toSorted())
}

async function proveUser(visit: Visit): Promise<void> {
  const { page } = visit
  await loaded(visit)
  const left = page.waitForNavigation()
  await page.evaluate(
    `void beckon('user', { userID: 'ann' }), void beckon('event', 'of_ann'), void (location.href = '/hello')`,
  )
  await left
  await loaded(visit)
  await tell(page, ['event', 'stayed'])
  const found = (await eventsOf(visit)).filter(({ event_name }) => event_name === 'of_ann')
  assert.deepEqual(
    found.map(({ userID }) => userID),
    ['ann'],
  )
}

async function proveEarly(visit: Visit): Promise<void> {
  const { page, origin } = visit
  await page.goto(`${origin}${SLOW_PAGE}?utm_source=slow`, { waitUntil: 'domcontentloaded' })
  const left = page.waitForNavigation()
  await page.evaluate(
    `void beckon('event', 'early_1', { n: 1 }), void beckon('event', 'early_2', undefined, '2.5'), void beckon('user', { userID: 'ann' }, { early: 'yes' }), void beckon('event'), void (location.href = '/after-slow')`,
  )
  await left
  await loaded(visit)
  await tell(page, ['event', 'stayed'])
  const found = (await eventsOf(visit)).filter(({ event_name }) => event_name.startsWith('early_'))
  assert.deepEqual(
    found.map((event) => [event.event_name, event.attributes, event.ltv, event.context.page.url]),
    [
      ['early_1', { n: 1 }, '10', `${origin}${SLOW_PAGE}?utm_source=slow`],
      ['early_2', {}, '2.5', `${origin}${SLOW_PAGE}?utm_source=slow`],
    ],
  )
  const { profile } = await visit.beckon.call('GET /api/v1/user/userdata', { query: { userID: 'ann' } })
  assert.equal(Object(profile.user_attributes)['early'], 'yes')
  assert.deepEqual(await page.evaluate(`Object.keys(sessionStorage)`), [])
  await page.evaluate(`for (let n = 0; n < 50; n++) sessionStorage.setItem('site-' + n, '')`)
  await page.goto(`${origin}${SLOW_PAGE}`, { waitUntil: 'domcontentloaded' })
  await page.goto(`${origin}${SLOW_PAGE}`, { waitUntil: 'domcontentloaded' })
  assert.equal(await page.evaluate('sessionStorage.length'), 50, 'a tab is not filled')
  await page.evaluate('sessionStorage.clear()')
  await page.goto(`${origin}/after`)
}

async function proveForgotten(visit: Visit): Promise<void> {
  const { page } = visit
  await loaded(visit)
  await page.evaluate(`localStorage.setItem('beckon-left-1', '[]'), localStorage.setItem('of_the_site', '1')`)
  await tell(page, ['consent', 'denied'])
  assert.deepEqual(await page.evaluate(`Object.keys(localStorage)`), ['of_the_site'])
}

type Leaving = { readonly events: readonly string[]; readonly to: string }

/** As in the handler of a link: all of it happens in one tick. */
async function tellAndLeave(visit: Visit, { events, to }: Leaving): Promise<void> {
  await loaded(visit)
  const calls = events.map((name) => `void beckon('event', '${name}')`)
  const left = visit.page.waitForNavigation()
  await visit.page.evaluate(`${calls.join(', ')}, void (location.href = '${to}')`)
  await left
}

/** The script has taken over from the snippet. */
async function loaded({ page }: Visit): Promise<void> {
  await page.waitForFunction('beckon.q === undefined')
}

type StoredEvent = {
  readonly userID: string
  readonly event_name: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly ltv: string
  readonly context: { readonly page: { readonly url: string } }
}

/** Oldest first. */
async function eventsOf({ beckon }: Visit): Promise<readonly StoredEvent[]> {
  const { events } = await beckon.call('GET /api/v1/events', { query: { limit: 500 } })
  return events.map((event): StoredEvent => Object(event)).toReversed()
}
