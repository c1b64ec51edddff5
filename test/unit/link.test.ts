import assert from 'node:assert/strict'
import { test } from 'node:test'
import { httpsFlaw, linkFlaw } from '../../src/domain/values/link.ts'
import { REFUSED_SCHEMES } from '../../src/rules/push.ts'

const APP = { allowsAppScheme: true }
const WEB = { allowsAppScheme: false }

test('http and https addresses are links everywhere', () => {
  for (const link of ['https://example.com', 'http://example.com/a?b=c#d', 'HTTPS://例え.jp/パス']) {
    assert.equal(linkFlaw(link, WEB), null)
    assert.equal(linkFlaw(link, APP), null)
  }
})

test('a scheme of the app is a link on a phone and not on the web', () => {
  assert.equal(linkFlaw('myapp://cart/7', APP), null)
  assert.notEqual(linkFlaw('myapp://cart/7', WEB), null)
})

test('schemes that run code or read the device are refused in every spelling', () => {
  const spellings = REFUSED_SCHEMES.flatMap((scheme) => [
    `${scheme}x`,
    `${scheme.toUpperCase()}x`,
    ` ${scheme}x`,
    `${scheme[0]}\n${scheme.slice(1)}x`,
    `\u0001${scheme}x`,
  ])
  for (const link of spellings) assert.notEqual(linkFlaw(link, APP), null, JSON.stringify(link))
})

test('what is no whole address is refused', () => {
  for (const link of [
    '',
    '/cart',
    'example.com',
    'https://',
    'https:example.com',
    'https://a b',
    'https://a/\u0000',
  ]) {
    assert.notEqual(linkFlaw(link, WEB), null, JSON.stringify(link))
  }
})

test('an image is fetched over https only', () => {
  assert.equal(httpsFlaw('https://cdn.example.com/a.png'), null)
  for (const link of [
    'http://cdn.example.com/a.png',
    'data:image/png;base64,AA',
    '//cdn.example.com/a.png',
  ]) {
    assert.notEqual(httpsFlaw(link), null, link)
  }
})
