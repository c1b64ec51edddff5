import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayAsk } from '../../web/sdk/prompt-rules.ts'

const NOW = 1_800_000_000_000
const DAY_MS = 86_400_000
const MOMENT = { path: '/products/shoes', declinedAt: undefined, now: NOW }

test('who never said no may be asked', () => {
  assert.equal(mayAsk({}, MOMENT), true)
})

test('after a no nobody is asked again until the days are over', () => {
  for (const [days, given] of [
    [14, {}],
    [3, { days: 3 }],
  ] as const) {
    assert.equal(mayAsk(given, { ...MOMENT, declinedAt: NOW - days * DAY_MS + 1 }), false)
    assert.equal(mayAsk(given, { ...MOMENT, declinedAt: NOW - days * DAY_MS }), true)
  }
})

test('only the pages that are named ask, and a star stands for anything', () => {
  assert.equal(mayAsk({ pages: ['/products/*'] }, MOMENT), true)
  assert.equal(mayAsk({ pages: ['/cart', '/*/shoes'] }, MOMENT), true)
  assert.equal(mayAsk({ pages: ['/products'] }, MOMENT), false)
  assert.equal(mayAsk({ pages: ['/products.shoes', '/p+'] }, MOMENT), false)
  assert.equal(mayAsk({ pages: [] }, MOMENT), false)
})
