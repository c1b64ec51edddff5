import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attributeTypeOf, fitsLock } from '../../src/domain/events/attribute.ts'

const TYPES = [
  ['text', 'string'],
  ['', 'string'],
  [0, 'number'],
  [10n ** 18n, 'number'],
  [false, 'boolean'],
  [{}, 'object'],
  [[], 'object_array'],
  [[{}, { a: 1 }], 'object_array'],
  [[1], null],
  [['a'], null],
  [[{}, [{}]], null],
  [null, null],
  ['2026-02-28', 'date'],
  ['2026-02-30', 'string'],
  ['2024-02-29', 'date'],
  ['2023-02-29', 'string'],
  ['1900-02-29', 'string'],
  ['2000-02-29', 'date'],
  ['0000-01-01', 'string'],
  ['0099-12-31', 'date'],
  ['2026-02-28 10:20:30', 'date'],
  ['2026-02-28 24:00:00', 'string'],
  ['2026-02-28 10:20', 'string'],
  ['2026-02-28 10:20:30Z', 'string'],
  ['2026-02-28T10:20', 'date'],
  ['2026-02-28T10:20Z', 'date'],
  ['2026-02-28T10:20:30', 'date'],
  ['2026-02-28T10:20:30.5Z', 'date'],
  ['2026-02-28T10:20:30,123456789+02', 'date'],
  ['2026-02-28T10:20:30+0530', 'date'],
  ['2026-02-28T10:20:30-03:00', 'date'],
  ['2026-02-28T10:20:30+24:00', 'string'],
  ['2026-02-28T10:60:30Z', 'string'],
  ['2026-02-28T', 'string'],
  ['2026-2-28', 'string'],
  ['+026-02-28', 'string'],
  ['2026-02-28 x', 'string'],
] as const

for (const [value, type] of TYPES) {
  const shown = typeof value === 'bigint' ? `${value}` : JSON.stringify(value)
  test(`${shown} is ${type ?? 'no attribute'}`, () => assert.equal(attributeTypeOf(value), type))
}

test('a String lock takes a text that looks like a date; a Date lock takes no other text', () => {
  assert.equal(fitsLock('string', 'date'), true)
  assert.equal(fitsLock('date', 'string'), false)
  assert.equal(fitsLock('date', 'date'), true)
  assert.equal(fitsLock('number', 'boolean'), false)
})
