import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Comparison, compare } from '../../src/domain/segments/comparison.ts'
import { isCount } from '../../src/domain/segments/segment.ts'
import { webhookUrlFlaw } from '../../src/domain/webhooks/url.ts'
import { SEGMENT_COUNTS } from '../../src/rules/segments.ts'
import { WEBHOOK_RULES } from '../../src/rules/webhooks.ts'

const NOW = Date.UTC(2026, 10, 15, 12)
const DAY_MS = 86_400_000

function matches(comparison: Comparison, values: readonly unknown[]): readonly boolean[] {
  return values.map((value) => compare(comparison, value, NOW))
}

test('numbers are ordered with and without their bound, also beside an int64', () => {
  const below = [4, 5, 6, 4n, 5n, 6n]
  const order = (is: 'gt' | 'gte' | 'lt' | 'lte') => matches({ kind: 'order', is, value: 5 }, below)
  assert.deepEqual(order('gt'), [false, false, true, false, false, true])
  assert.deepEqual(order('gte'), [false, true, true, false, true, true])
  assert.deepEqual(order('lt'), [true, false, false, true, false, false])
  assert.deepEqual(order('lte'), [true, true, false, true, true, false])
  assert.deepEqual(matches({ kind: 'order', is: 'gt', value: 5 }, ['6', null, true]), [false, false, false])
})

test('equal means the same value of the same type; a number and an int64 can be the same', () => {
  const values = [5, 5n, 4, 6n, '5', null, undefined]
  const equal = [true, true, false, false, false, false, false]
  const other = [false, false, true, true, true, false, false]
  assert.deepEqual(matches({ kind: 'equality', is: 'eq', value: 5 }, values), equal)
  assert.deepEqual(matches({ kind: 'equality', is: 'ne', value: 5n }, values), other)
  assert.deepEqual(matches({ kind: 'choice', values: [5n, 'x'] }, [5, 'x', 'y', 6]), [
    true,
    true,
    false,
    false,
  ])
})

test('presence, parts of texts, and instants before, after and within days', () => {
  assert.deepEqual(matches({ kind: 'presence', is: 'exists' }, [0, '', null, undefined]), [
    true,
    true,
    false,
    false,
  ])
  assert.deepEqual(matches({ kind: 'presence', is: 'missing' }, [0, null, undefined]), [false, true, true])
  assert.deepEqual(matches({ kind: 'text', is: 'contains', value: 'b' }, ['abc', 'bcd', 'x']), [
    true,
    true,
    false,
  ])
  assert.deepEqual(matches({ kind: 'text', is: 'starts_with', value: 'b' }, ['abc', 'bcd']), [false, true])
  const days = ['2026-01-01', '2026-01-02', '2026-01-03', 'no date', null]
  const date = '2026-01-02'
  assert.deepEqual(matches({ kind: 'date', is: 'before', date }, days), [true, false, false, false, false])
  assert.deepEqual(matches({ kind: 'date', is: 'after', date }, days), [false, false, true, false, false])
  assert.equal(compare({ kind: 'date', is: 'before', date: 'no date' }, '2026-01-01', NOW), false)
  const ago = [2 * DAY_MS, 2 * DAY_MS - 1_000, 0, -1_000].map((ms) => new Date(NOW - ms).toISOString())
  assert.deepEqual(matches({ kind: 'recency', days: 2 }, [...ago, 'no date']), [
    false,
    true,
    true,
    false,
    false,
  ])
})

test('a count is compared with and without its bound', () => {
  const found = SEGMENT_COUNTS.map((is) => [is, [1, 2, 3].map((count) => isCount({ is, value: 2 }, count))])
  assert.deepEqual(Object.fromEntries(found), {
    eq: [false, true, false],
    gt: [false, false, true],
    gte: [false, true, true],
    lt: [true, false, false],
    lte: [true, true, false],
  })
})

test('a webhook URL may have as many characters as its limit, and neither a user name nor a password', () => {
  const start = 'https://example.com/'
  const longest = start + 'x'.repeat(WEBHOOK_RULES.urlCharsMax - start.length)
  assert.equal(webhookUrlFlaw(longest, new Set()), null)
  assert.match(webhookUrlFlaw(`${longest}x`, new Set()) ?? '', /at most/)
  for (const text of ['https://ann@example.com/', 'https://:secret@example.com/']) {
    assert.match(webhookUrlFlaw(text, new Set()) ?? '', /user name or a password/)
  }
})
