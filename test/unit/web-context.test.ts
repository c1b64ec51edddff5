import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseContext } from '../../src/http/events/context.ts'
import { browserName } from '../../web/sdk/browser.ts'
import { clip } from '../../web/sdk/clip.ts'
import { arrivalOf, contextOf } from '../../web/sdk/context.ts'
import { NO_SESSION, touch } from '../../web/sdk/session.ts'

const PAGE = {
  url: 'https://ann:secret@shop.example/a?utm_source=news&utm_campaign=fall&gclid=G1&creative=77&q=1#top',
  referrer: 'https://search.example/?q=shoes',
  language: 'de-AT',
  isMobile: false,
}

test('a page’s context holds what the contract names, and the server keeps all of it', () => {
  const context = contextOf(PAGE, arrivalOf(PAGE), false)
  assert.deepEqual(context, {
    language: 'de-AT',
    platform: 'website',
    page: {
      url: 'https://shop.example/a?utm_source=news&utm_campaign=fall&gclid=G1&creative=77&q=1#top',
      query_params: 'utm_source=news&utm_campaign=fall&gclid=G1&creative=77&q=1',
      referrer: 'https://search.example/?q=shoes',
      landing_page_url:
        'https://shop.example/a?utm_source=news&utm_campaign=fall&gclid=G1&creative=77&q=1#top',
    },
    utm: { source: 'news', campaign: 'fall', google_click_id: 'G1', ad_id: '77' },
  })
  assert.deepEqual(parseContext(context).warnings, [])
})

test('how somebody came stays the same on later pages of the session', () => {
  const later = { ...PAGE, url: 'https://shop.example/cart', isMobile: true }
  const { page, utm, platform } = contextOf(later, arrivalOf(PAGE), false)
  assert.equal(platform, 'm-site')
  assert.equal(page['url'], 'https://shop.example/cart')
  assert.match(String(page['landing_page_url']), /utm_source=news/)
  assert.equal(utm['source'], 'news')
  assert.equal('query_params' in page, false)
})

test('whoever asks not to be followed is told apart by neither referrer nor ad', () => {
  const { page, utm } = contextOf(PAGE, arrivalOf(PAGE), true)
  assert.equal('referrer' in page, false)
  assert.deepEqual(utm, {})
})

test('a text is cut to 254 characters and 255 bytes, between two characters', () => {
  assert.equal(clip('a'.repeat(300)).length, 254)
  const cut = clip('é🎉'.repeat(100))
  assert.ok(new TextEncoder().encode(cut).length <= 255)
  assert.ok(cut.isWellFormed())
  assert.equal(clip('short'), 'short')
})

const SESSION = { id: 's', startedAt: 10_000_000, lastAt: 12_000_000, arrival: arrivalOf(PAGE) }
const QUIET_MS = 30 * 60_000
const CART = { ...PAGE, url: 'https://shop.example/cart' }

test('a session goes on for thirty quiet minutes, and not longer', () => {
  const now = SESSION.lastAt + QUIET_MS
  const sign = { page: CART, now, newId: 'n' }
  assert.deepEqual(touch(SESSION, sign), { session: { ...SESSION, lastAt: now } })
  const { session, ended } = touch(SESSION, { ...sign, now: now + 1 })
  assert.deepEqual([session.id, session.startedAt, session.arrival.landing], ['n', now + 1, CART.url])
  assert.deepEqual(ended, SESSION)
})

test('a clock that was set back starts a new session, and a late sign does not', () => {
  const back = SESSION.startedAt - QUIET_MS - 1
  assert.equal(touch(SESSION, { page: PAGE, now: back, newId: 'n' }).session.id, 'n')
  const late = touch(SESSION, { page: PAGE, now: SESSION.lastAt - 5, newId: 'n' })
  assert.equal(late.session.lastAt, SESSION.lastAt)
})

test('the first session follows none; after logout one begins that is not the first', () => {
  for (const given of [undefined, null, '', 7, [], { id: 'x' }]) {
    assert.equal(touch(given, { page: PAGE, now: 1, newId: 'n' }).ended, null)
  }
  const after = touch(NO_SESSION, { page: PAGE, now: 1, newId: 'n' })
  assert.deepEqual([after.session.id, after.ended?.id], ['n', ''])
})

test('a browser is known by its user agent, the most particular name first', () => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36'
  assert.equal(browserName(chrome), 'chrome')
  assert.equal(browserName(`${chrome} Edg/140.0`), 'edge')
  assert.equal(
    browserName('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'),
    'firefox',
  )
  assert.equal(browserName('curl/8'), undefined)
})
