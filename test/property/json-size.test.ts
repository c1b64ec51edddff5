import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assert as check, jsonValue, property, string } from 'fast-check'
import { jsonBytes, measureJson } from '../../src/domain/values/json-size.ts'

test('a value takes as many bytes as its JSON has', () => {
  check(
    property(jsonValue({ stringUnit: 'binary' }), (value) => {
      assert.equal(jsonBytes(value), Buffer.byteLength(JSON.stringify(value)))
    }),
  )
})

test('a text does too, whatever is in it', () => {
  check(
    property(string({ unit: 'binary' }), string(), (odd, plain) => {
      for (const text of [
        odd,
        plain,
        `${odd}\ud800${plain}`,
        `"\\\b\t\n\f\r\u0000\u0007\u007f\u0085${odd}`,
      ]) {
        assert.equal(jsonBytes(text), Buffer.byteLength(JSON.stringify(text)))
      }
    }),
  )
})

test('the quick look never takes a value for smaller than it is', () => {
  check(
    property(jsonValue({ stringUnit: 'binary' }), (value) => {
      const bytes = jsonBytes(value)
      assert.ok(measureJson(value, Number.POSITIVE_INFINITY).bytes >= bytes)
      assert.equal(measureJson(value, bytes).isLarger, false)
      assert.equal(measureJson(value, bytes - 1).isLarger, true)
    }),
  )
})
