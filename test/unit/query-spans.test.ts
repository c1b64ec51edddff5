import assert from 'node:assert/strict'
import { test } from 'node:test'
import { querySpans, spansBefore } from '../../src/domain/events/query-spans.ts'
import { edgeTexts } from '../../src/domain/series/spans.ts'

const zone = 'Europe/Berlin'

function texts(edges: readonly number[]): readonly string[] {
  return edgeTexts(zone, edges)
}

test('a range without spans is taken as it was asked for, and the period before is as long', () => {
  const [fromAt, toAt] = [Date.parse('2026-05-01T09:30:00Z'), Date.parse('2026-05-03T10:00:00Z')]
  const edges = querySpans({ every: null, zone, fromAt, toAt })
  assert.deepEqual(edges, [fromAt, toAt])
  assert.deepEqual(spansBefore(zone, edges), [fromAt - (toAt - fromAt), fromAt])
})

test('days before a change of clocks begin at midnight too', () => {
  const [fromAt, toAt] = [Date.parse('2026-03-30T12:00:00Z'), Date.parse('2026-03-31T12:00:00Z')]
  const edges = querySpans({ every: 'day', zone, fromAt, toAt })
  assert.deepEqual(texts(edges), [
    '2026-03-30T00:00:00+02:00',
    '2026-03-31T00:00:00+02:00',
    '2026-04-01T00:00:00+02:00',
  ])
  assert.deepEqual(texts(spansBefore(zone, edges)), [
    '2026-03-28T00:00:00+01:00',
    '2026-03-29T00:00:00+01:00',
    '2026-03-30T00:00:00+02:00',
  ])
})

test('hours are moved by hours, and the period before ends where the present one begins', () => {
  const [fromAt, toAt] = [Date.parse('2026-03-29T00:10:00Z'), Date.parse('2026-03-29T02:10:00Z')]
  const edges = querySpans({ every: 'hour', zone, fromAt, toAt })
  const before = spansBefore(zone, edges)
  assert.deepEqual(texts(before), [
    '2026-03-28T22:00:00+01:00',
    '2026-03-28T23:00:00+01:00',
    '2026-03-29T00:00:00+01:00',
    '2026-03-29T01:00:00+01:00',
  ])
  assert.equal(before.at(-1), edges[0])
})
