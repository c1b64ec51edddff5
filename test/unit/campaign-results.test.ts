import assert from 'node:assert/strict'
import { test } from 'node:test'
import { campaignResult } from '../../src/domain/campaigns/results.ts'

const A = { group: 0, people: 1000, clicked: 100, reached: 60 }
const B = { group: 1, people: 1000, clicked: 150, reached: 90 }
const HOLDOUT = { group: -1, people: 500, clicked: 0, reached: 20 }
const CONTROL = { group: -2, people: 200, clicked: 0, reached: 8 }

test('the groups add up to the campaign', () => {
  const result = campaignResult([HOLDOUT, CONTROL, B, A], 0.95)
  assert.deepEqual([result.people, result.heldOut, result.inControl], [2000, 500, 200])
  assert.equal(result.clicked.value, 0.125)
  assert.deepEqual(
    result.variants.map(({ variant, people }) => [variant, people]),
    [
      [0, 1000],
      [1, 1000],
    ],
  )
})

test('the uplift compares all who were sent to with all who were held out', () => {
  const { uplift } = campaignResult([A, B, HOLDOUT, CONTROL], 0.95)
  assert.ok(uplift.kind === 'measured')
  assert.deepEqual(
    [uplift.sent, uplift.held],
    [
      { of: 2000, did: 150 },
      { of: 700, did: 28 },
    ],
  )
  assert.equal(uplift.difference.value.toFixed(3), '0.035')
  assert.ok(uplift.difference.low > 0)
})

test('an interval of one variant of many is wider than that of the same figures alone', () => {
  const alone = campaignResult([A], 0.95).variants[0]
  const [one] = campaignResult([A, B, { ...B, group: 2 }], 0.95).variants
  assert.ok(alone !== undefined && one !== undefined)
  assert.ok(one.clicked.low < alone.clicked.low && one.clicked.high > alone.clicked.high)
})

test('without anybody held out, or with too few, there is no uplift', () => {
  assert.equal(campaignResult([A], 0.95).uplift.kind, 'no_control')
  const few = campaignResult([A, { ...HOLDOUT, people: 20, reached: 1 }], 0.95)
  assert.equal(few.uplift.kind, 'not_enough_data')
})

test('a campaign without people has a result too', () => {
  assert.deepEqual(campaignResult([], 0.95).variants, [])
})
