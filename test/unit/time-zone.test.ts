import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeZoneOf } from '../../src/domain/values/time-zone.ts'

const GOOD: readonly (readonly [string, string])[] = [
  ['0', 'UTC'],
  ['Z', 'UTC'],
  ['utc', 'UTC'],
  ['GMT', 'UTC'],
  ['+00:00', 'UTC'],
  ['-0', 'UTC'],
  ['5.5', '+05:30'],
  ['+5.75', '+05:45'],
  ['-3', '-03:00'],
  ['14', '+14:00'],
  ['+05:30', '+05:30'],
  ['+0530', '+05:30'],
  ['-0930', '-09:30'],
  ['-14:00', '-14:00'],
  ['Europe/Paris', 'Europe/Paris'],
  ['europe/PARIS', 'Europe/Paris'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['US/Pacific', 'US/Pacific'],
]

for (const [text, zone] of GOOD) {
  test(`${text} is the zone ${zone}`, () => assert.equal(timeZoneOf(text), zone))
}

const BAD = [
  '',
  ' ',
  '15',
  '14.5',
  '+14:01',
  '-15:00',
  '+05:60',
  '+5:3',
  '0530',
  '5.51',
  '1e1',
  'Mars/Base',
  'UTC+5',
  '+05:30:15',
  `Europe/${'x'.repeat(80)}`,
  '2020-01-01T00:00Z[UTC]',
  'subscriber',
]

for (const text of BAD) {
  test(`"${text}" is no time zone`, () => assert.equal(timeZoneOf(text), null))
}
