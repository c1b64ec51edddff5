import assert from 'node:assert/strict'
import { test } from 'node:test'
import { array, assert as check, constantFrom, property, string } from 'fast-check'
import { hasLongDigits } from '../../src/domain/values/json.ts'

test('a run of sixteen digits is found wherever it stands, and nothing else is', () => {
  const part = constantFrom(
    '1',
    '23',
    '4567890',
    '123456789012345',
    '1234567890123456',
    '"',
    ' ',
    'é',
    '-',
    '.',
  )
  check(
    property(string(), array(part, { maxLength: 40 }), (start, parts) => {
      const text = start + parts.join('')
      assert.equal(hasLongDigits(text), /\d{16}/.test(text))
    }),
  )
})
