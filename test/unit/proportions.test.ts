import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differenceOf, rateOf, sharedConfidence } from '../../src/domain/campaigns/proportions.ts'

const rounded = ({ low, high }: { readonly low: number; readonly high: number }) => [
  low.toFixed(4),
  high.toFixed(4),
]

test('a rate has the interval of Wilson', () => {
  assert.deepEqual(rounded(rateOf({ of: 100, did: 10 }, 0.95)), ['0.0552', '0.1744'])
  assert.deepEqual(rounded(rateOf({ of: 10, did: 0 }, 0.95)), ['0.0000', '0.2775'])
  assert.deepEqual(rounded(rateOf({ of: 10, did: 10 }, 0.95)), ['0.7225', '1.0000'])
})

test('nobody has any rate from none to all', () => {
  assert.deepEqual(rateOf({ of: 0, did: 0 }, 0.95), { value: 0, low: 0, high: 1 })
})

// The figures are those that Newcombe published with the method in 1998.
test('a difference of rates has the interval of Newcombe', () => {
  const wide = differenceOf({ a: { of: 70, did: 56 }, b: { of: 80, did: 48 } }, 0.95)
  assert.deepEqual(rounded(wide), ['0.0524', '0.3339'])
  const small = differenceOf({ a: { of: 10, did: 9 }, b: { of: 10, did: 3 } }, 0.95)
  assert.deepEqual(rounded(small), ['0.1705', '0.8090'])
})

test('the interval of a difference turns with its sides', () => {
  const a = { of: 40, did: 13 }
  const b = { of: 300, did: 71 }
  const one = differenceOf({ a, b }, 0.9)
  const other = differenceOf({ a: b, b: a }, 0.9)
  assert.equal(one.low.toFixed(10), (-other.high).toFixed(10))
  assert.equal(one.high.toFixed(10), (-other.low).toFixed(10))
})

test('more statements need more confidence each, and wider intervals', () => {
  assert.equal(sharedConfidence(0.95, 1).toFixed(6), '0.950000')
  assert.equal(sharedConfidence(0.95, 10).toFixed(6), '0.995000')
  const group = { of: 500, did: 50 }
  assert.ok(rateOf(group, sharedConfidence(0.95, 28)).low < rateOf(group, 0.95).low)
})
