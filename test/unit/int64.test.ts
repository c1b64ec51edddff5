import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseInt64 } from '../../src/domain/values/int64.ts'
import { INT64_MAX, INT64_MIN } from '../../src/rules/fields.ts'

test('an int64 is a whole number or its digits, from the first to the last one', () => {
  for (const value of [INT64_MIN, -1n, 0n, INT64_MAX]) {
    assert.equal(parseInt64(value), value)
    assert.equal(parseInt64(String(value)), value)
  }
  assert.equal(parseInt64(Number.MAX_SAFE_INTEGER), BigInt(Number.MAX_SAFE_INTEGER))
  for (const beyond of [INT64_MIN - 1n, INT64_MAX + 1n]) {
    assert.equal(parseInt64(beyond), null)
    assert.equal(parseInt64(String(beyond)), null)
  }
})

test('a fraction, an exponent and a value of another type are no int64', () => {
  for (const value of [0.5, 2 ** 60, Number.NaN, '1.0', '1e3', '', ' 1', true, null, undefined, {}, []]) {
    assert.equal(parseInt64(value), null)
  }
})
