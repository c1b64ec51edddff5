import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addSums, NO_ROWS } from '../../src/store/event-files/write-file.ts'

function ltvOf(one: string, other: string): string {
  return addSums({ ...NO_ROWS, ltv: one }, { ...NO_ROWS, ltv: other }).ltv
}

test('sums of several files are exact, and nothing has no sign', () => {
  assert.equal(ltvOf('0', '0'), '0')
  assert.equal(ltvOf('2.5', '-2.5'), '0')
  assert.equal(ltvOf('0.000000001', '12'), '12.000000001')
  assert.equal(ltvOf('-0.5', '0.25'), '-0.25')
  assert.equal(ltvOf('9007199254740993', '0.1'), '9007199254740993.1')
  const one = { count: '2', ltv: '1', profiles: '9007199254740993', ids: '3' }
  assert.deepEqual(addSums(one, one), { count: '4', ltv: '2', profiles: '18014398509481986', ids: '6' })
})
