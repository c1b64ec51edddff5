import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDate } from '../../src/domain/values/calendar.ts'

const WHOLE = '2026-05-06 07:08:09'
const DIGITS = [...WHOLE].flatMap((character, at) => (/\d/.test(character) ? [at] : []))
const MARKS = [...WHOLE].flatMap((character, at) => (/[-:]/.test(character) ? [at] : []))

function withAt(at: number, character: string): string {
  return WHOLE.slice(0, at) + character + WHOLE.slice(at + 1)
}

test('the characters next to the digits in the table are no digits, in any place of a date', () => {
  assert.equal(readDate(WHOLE)?.wallMs, Date.parse('2026-05-06T07:08:09Z'))
  for (const at of DIGITS) {
    for (const character of ['/', ':'])
      assert.equal(readDate(withAt(at, character)), null, withAt(at, character))
  }
})

test('each hyphen and each colon of a date must be there', () => {
  for (const at of MARKS) assert.equal(readDate(withAt(at, '.')), null, withAt(at, '.'))
})
