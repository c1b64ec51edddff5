import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseContext } from '../../src/http/wire/event-context.ts'
import { browserName } from '../../web/sdk/browser.ts'
import { clip } from '../../web/sdk/clip.ts'
import { arrivalOf, contextOf } from '../../web/sdk/context.ts'
import { isOver, readSession } from '../../web/sdk/session.ts'

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

const SESSION = { id: 's', startedAt: 1_000_000, lastAt: 2_000_000, arrival: arrivalOf(PAGE) }
const QUIET_MS = 30 * 60_000

test('a session is over after thirty quiet minutes, and not before', () => {
  assert.equal(isOver(null, 0), true)
  assert.equal(isOver(SESSION, SESSION.lastAt + QUIET_MS), false)
  assert.equal(isOver(SESSION, SESSION.lastAt + QUIET_MS + 1), true)
  assert.equal(
    isOver(SESSION, SESSION.startedAt - 2 * QUIET_MS),
    true,
    'a clock that was set back starts anew',
  )
})

test('what is no session in local storage is none', () => {
  assert.deepEqual(readSession(JSON.stringify(SESSION)), SESSION)
  for (const text of [null, '', '{', 'null', '7', '[]', '{"id":"x"}']) assert.equal(readSession(text), null)
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
