import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateMoments, nextMoment, quietUntil } from '../../src/domain/journeys/time.ts'

const BERLIN = 'Europe/Berlin'
const at = (text: string): number => Date.parse(text)

test('a time of day that has passed comes tomorrow', () => {
  const nine = { weekdays: [], at: '09:00:00' }
  assert.equal(nextMoment(nine, BERLIN, at('2026-07-01T06:00:00Z')), at('2026-07-01T07:00:00Z'))
  assert.equal(nextMoment(nine, BERLIN, at('2026-07-01T07:00:00Z')), at('2026-07-02T07:00:00Z'))
})

test('a weekday is the person’s, not ours', () => {
  const monday = { weekdays: [1], at: '00:30:00' }
  // It is Sunday in UTC and Monday already in Auckland.
  assert.equal(nextMoment(monday, 'Pacific/Auckland', at('2026-07-05T11:00:00Z')), at('2026-07-05T12:30:00Z'))
})

test('a wait until a time that daylight saving skips moves forward', () => {
  const skipped = { weekdays: [], at: '02:30:00' }
  assert.equal(nextMoment(skipped, BERLIN, at('2026-03-28T12:00:00Z')), at('2026-03-29T01:30:00Z'))
})

test('a wait until a time that comes twice means the first', () => {
  const twice = { weekdays: [], at: '02:30:00' }
  assert.equal(nextMoment(twice, BERLIN, at('2026-10-24T12:00:00Z')), at('2026-10-25T00:30:00Z'))
  // Between the two it has been, and comes again tomorrow.
  assert.equal(nextMoment(twice, BERLIN, at('2026-10-25T01:00:00Z')), at('2026-10-26T01:30:00Z'))
})

test('a day on which the clock changes is still one day', () => {
  const nine = { weekdays: [], at: '09:00:00' }
  assert.equal(nextMoment(nine, BERLIN, at('2026-03-28T08:00:00Z')), at('2026-03-29T07:00:00Z'))
})

const NIGHTS = [{ weekdays: [1, 2, 3, 4, 5], from: '22:00:00', to: '08:00:00' }]

test('quiet hours end in the morning of the person’s zone', () => {
  // Wednesday, 23:00 in Berlin.
  assert.equal(quietUntil(NIGHTS, BERLIN, at('2026-07-01T21:00:00Z')), at('2026-07-02T06:00:00Z'))
  assert.equal(quietUntil(NIGHTS, BERLIN, at('2026-07-02T05:59:59Z')), at('2026-07-02T06:00:00Z'))
  assert.equal(quietUntil(NIGHTS, BERLIN, at('2026-07-02T06:00:00Z')), null)
})

test('quiet hours begin with their first millisecond', () => {
  const begin = at('2026-07-01T20:00:00Z')
  assert.equal(quietUntil(NIGHTS, BERLIN, begin - 1), null)
  assert.equal(quietUntil(NIGHTS, BERLIN, begin), at('2026-07-02T06:00:00Z'))
})

test('a night that begins on a free day is not quiet', () => {
  assert.equal(quietUntil(NIGHTS, BERLIN, at('2026-07-04T21:00:00Z')), null)
})

test('one window leads into the next', () => {
  const windows = [...NIGHTS, { weekdays: [4], from: '07:00:00', to: '12:00:00' }]
  assert.equal(quietUntil(windows, BERLIN, at('2026-07-01T21:00:00Z')), at('2026-07-02T10:00:00Z'))
})

const BIRTHDAY = {
  kind: 'date',
  attribute: 'birth_date',
  offsetDays: 0,
  at: '09:00:00',
  isYearly: true,
} as const
const YEAR_2027 = { after: at('2026-12-31T23:00:00Z'), until: at('2027-12-31T22:59:59Z') }

test('a birthday comes once a year, in the morning of the person’s zone', () => {
  const moments = dateMoments(BIRTHDAY, { value: '1990-05-17', zone: BERLIN }, YEAR_2027)
  assert.deepEqual(moments, [at('2027-05-17T07:00:00Z')])
})

test('who was born on the 29th of February has a birthday every year', () => {
  const moments = dateMoments(BIRTHDAY, { value: '2000-02-29', zone: BERLIN }, YEAR_2027)
  assert.deepEqual(moments, [at('2027-02-28T08:00:00Z')])
})

test('days before a date may lie in the year before', () => {
  const before = { ...BIRTHDAY, offsetDays: -3 }
  const newYear = { after: at('2026-12-29T00:00:00Z'), until: at('2026-12-30T00:00:00Z') }
  assert.deepEqual(dateMoments(before, { value: '1990-01-01', zone: BERLIN }, newYear), [
    at('2026-12-29T08:00:00Z'),
  ])
})

test('a date that comes once is due in one span and in no other', () => {
  const renewal = { ...BIRTHDAY, isYearly: false }
  const value = { value: '2027-05-17', zone: BERLIN }
  const due = at('2027-05-17T07:00:00Z')
  assert.deepEqual(dateMoments(renewal, value, { after: due - 1, until: due }), [due])
  assert.deepEqual(dateMoments(renewal, value, { after: due, until: due + 1 }), [])
  assert.deepEqual(dateMoments(renewal, { ...value, value: 'soon' }, YEAR_2027), [])
})
