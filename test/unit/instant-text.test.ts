import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assert as check, date, integer, property } from 'fast-check'
import { parseInstant } from '../../src/store/instant-text.ts'

/** As PostgreSQL writes an instant: without the zeros at the end of its fraction. */
function textOf(at: Date, micros: number): string {
  const [whole = '', ms = ''] = at.toISOString().replace('T', ' ').replace('Z', '').split('.')
  const fraction = `${ms}${String(micros).padStart(3, '0')}`.replace(/0+$/, '')
  return `${whole}${fraction === '' ? '' : `.${fraction}`}+00`
}

test('every instant of the first ten thousand years is read to the millisecond', () => {
  const years = { min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z') }
  check(
    property(date({ ...years, noInvalidDate: true }), integer({ min: 0, max: 999 }), (at, micros) => {
      assert.equal(parseInstant(textOf(at, micros)), at.getTime())
    }),
    { numRuns: 2_000 },
  )
})

test('an instant is read with and without each digit of its fraction', () => {
  const whole = Date.UTC(2026, 10, 17, 15, 20, 33)
  const fractions = { '': 0, '.1': 100, '.12': 120, '.123': 123, '.1239': 123, '.12399': 123, '.123999': 123 }
  for (const [fraction, ms] of Object.entries(fractions)) {
    assert.equal(parseInstant(`2026-11-17 15:20:33${fraction}+00`), whole + ms, fraction)
  }
})

test('what is no instant of our calendar is no number', () => {
  assert.ok(Number.isNaN(parseInstant('infinity')))
  assert.ok(Number.isNaN(parseInstant('-infinity')))
  assert.ok(Number.isNaN(parseInstant('0044-03-15 12:00:00+00 BC')))
})
