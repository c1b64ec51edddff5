import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDate } from '../../src/domain/values/calendar.ts'

const WHOLE = '2026-05-06 07:08:09'
const DIGITS = WHOLE.split('').flatMap((character, at) => (/\d/.test(character) ? [at] : []))
const MARKS = WHOLE.split('').flatMap((character, at) => (/[-:]/.test(character) ? [at] : []))

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

const LAST_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

test('each month has its days, February one more in a leap year, and there is no month and no year zero', () => {
  for (const [place, days] of LAST_DAYS.entries()) {
    const month = String(place + 1).padStart(2, '0')
    assert.equal(readDate(`2026-${month}-${days}`)?.kind, 'day', month)
    assert.equal(readDate(`2026-${month}-${days + 1}`), null, month)
    assert.equal(readDate(`2026-${month}-00`), null, month)
    assert.equal(readDate(`2026-${month}-01`)?.wallMs, Date.UTC(2026, place, 1), month)
  }
  for (const leap of ['2024', '2000', '2400']) assert.equal(readDate(`${leap}-02-29`)?.kind, 'day', leap)
  for (const plain of ['2026', '1900', '2100']) assert.equal(readDate(`${plain}-02-29`), null, plain)
  for (const text of ['2026-00-01', '2026-13-01', '0000-01-01']) assert.equal(readDate(text), null, text)
  assert.equal(readDate('0001-01-01')?.kind, 'day')
  assert.equal(readDate('0099-12-31')?.wallMs, Date.parse('0099-12-31T00:00:00Z'))
})

test('the last second of a day is the last one', () => {
  assert.equal(readDate('2026-05-06 23:59:59')?.kind, 'local')
  for (const time of ['24:00:00', '23:60:00', '23:59:60']) assert.equal(readDate(`2026-05-06 ${time}`), null)
  assert.equal(readDate('2026-05-06 23:59:59Z'), null, 'the contract’s form has no zone')
  assert.equal(readDate('2026-05-06x23:59:59'), null)
})

test('an ISO 8601 date-time may leave out seconds, their fraction and the offset', () => {
  const wallMs = Date.parse('2026-05-06T07:08:00Z')
  const cases = [
    ['2026-05-06T07:08', 'local', wallMs, 0],
    ['2026-05-06T07:08Z', 'exact', wallMs, 0],
    ['2026-05-06T07:08:09', 'local', wallMs + 9_000, 0],
    ['2026-05-06T07:08:09.25Z', 'exact', wallMs + 9_250, 0],
    ['2026-05-06T07:08+02:30', 'exact', wallMs, 9_000_000],
    ['2026-05-06T07:08:09-0230', 'exact', wallMs + 9_000, -9_000_000],
    ['2026-05-06T07:08:09+23:59', 'exact', wallMs + 9_000, 86_340_000],
  ] as const
  for (const [text, kind, wall, offsetMs] of cases) {
    assert.deepEqual(readDate(text), { kind, wallMs: wall, offsetMs, isContractForm: false }, text)
  }
  for (const end of [
    '07',
    '07:08:',
    '07:08:09.',
    '07:08.5',
    '07:08+24:00',
    '07:08+23:60',
    '07:08:09 Z',
    '25:00',
  ]) {
    assert.equal(readDate(`2026-05-06T${end}`), null, end)
  }
})
