import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BestHourQuery, bestHours } from '../../src/domain/campaigns/best-hour.ts'
import { quarterOf } from '../../src/domain/campaigns/local-hours.ts'
import { BEST_HOUR_LIMITS } from '../../src/rules/best-hours.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW = Date.parse('2026-06-17T12:20:00Z')

/** The choice of one day from NOW on, for a brand in UTC whose people come at 18 o'clock. */
function chooser(given: Partial<BestHourQuery> = {}) {
  const brandQuarters = [
    { quarter: quarterOf(Date.parse('2026-06-10T18:00:00Z')), events: 40 },
    { quarter: quarterOf(Date.parse('2026-06-11T09:30:00Z')), events: 30 },
  ]
  const whole = { from: NOW, until: NOW + DAY_MS, brandZone: 'UTC', quietHours: null, brandQuarters }
  return bestHours({ ...whole, ...given })
}

/** Quarter hours on the days before NOW, one for each instant. */
function quartersAt(clock: string, days: number, offset = 'Z'): readonly number[] {
  return Array.from({ length: days }, (_, ago) => {
    const day = new Date(NOW - (ago + 1) * DAY_MS).toISOString().slice(0, 10)
    return quarterOf(Date.parse(`${day}T${clock}${offset}`))
  })
}

function chosenAt(choice: { readonly at: number }): string {
  return new Date(choice.at).toISOString()
}

test('somebody without events gets the hour of the brand, on their own clock', () => {
  const choose = chooser()
  const here = choose({ zone: null, quarters: [] })
  assert.deepEqual(here, {
    at: Date.parse('2026-06-17T18:00:00Z'),
    hour: 18,
    zone: 'UTC',
    source: 'brand',
    count: 40,
  })
  const there = choose({ zone: 'America/New_York', quarters: [] })
  assert.equal(chosenAt(there), '2026-06-17T22:00:00.000Z')
  assert.equal(there.hour, 18)
})

test('the hour with activity on the most days wins, however much happened on one of them', () => {
  const evening = quartersAt('21:00:00', 3)
  const burst = [0, 1, 2, 3].map((part) => quarterOf(NOW - DAY_MS) - 40 + part)
  const chosen = chooser()({ zone: 'UTC', quarters: [...burst, ...burst, ...evening] })
  assert.equal(chosenAt(chosen), '2026-06-17T21:00:00.000Z')
  assert.deepEqual([chosen.source, chosen.hour, chosen.count], ['person', 21, 3])
})

test('of equal hours the one that comes next wins, also over midnight', () => {
  const quarters = [...quartersAt('08:00:00', 2), ...quartersAt('03:00:00', 2)]
  assert.equal(chosenAt(chooser()({ zone: 'UTC', quarters })), '2026-06-18T03:00:00.000Z')
})

test('the hour that has begun already is now', () => {
  const chosen = chooser()({ zone: 'UTC', quarters: quartersAt('12:45:00', 5) })
  assert.equal(chosen.at, NOW)
  assert.equal(chosen.hour, 12)
})

test('zones of half and three quarters of an hour have their own full hours', () => {
  const kolkata = chooser()({ zone: 'Asia/Kolkata', quarters: quartersAt('09:10:00', 4, '+05:30') })
  assert.deepEqual([kolkata.hour, chosenAt(kolkata)], [9, '2026-06-18T03:30:00.000Z'])
  const kathmandu = chooser()({ zone: 'Asia/Kathmandu', quarters: quartersAt('09:55:00', 4, '+05:45') })
  assert.deepEqual([kathmandu.hour, chosenAt(kathmandu)], [9, '2026-06-18T03:15:00.000Z'])
})

test('events of 60 days count, and neither older ones nor those after the launch', () => {
  const edge = quarterOf(NOW) - BEST_HOUR_LIMITS.daysBack * 96
  const choose = chooser()
  assert.equal(choose({ zone: 'UTC', quarters: [edge + 1] }).source, 'person')
  assert.equal(choose({ zone: 'UTC', quarters: [edge] }).source, 'brand')
  assert.equal(choose({ zone: 'UTC', quarters: [quarterOf(NOW) + 1] }).source, 'brand')
})

test('a change of the clock among the events does not divide a habit', () => {
  const from = Date.parse('2026-11-10T12:00:00Z')
  const before = ['2026-10-22', '2026-10-23'].map((day) => quarterOf(Date.parse(`${day}T09:00:00+02:00`)))
  const after = ['2026-11-02', '2026-11-03'].map((day) => quarterOf(Date.parse(`${day}T09:00:00+01:00`)))
  const other = ['2026-11-05', '2026-11-06', '2026-11-07'].map((day) =>
    quarterOf(Date.parse(`${day}T20:00:00+01:00`)),
  )
  const choose = chooser({ from, until: from + DAY_MS })
  const chosen = choose({ zone: 'Europe/Berlin', quarters: [...before, ...after, ...other] })
  assert.deepEqual([chosen.hour, chosen.count, chosenAt(chosen)], [9, 4, '2026-11-11T08:00:00.000Z'])
})

test('an hour that daylight saving skips is sent at its end, and one that comes twice at its first', () => {
  const spring = Date.parse('2026-03-28T20:00:00Z')
  const habit = ['2026-03-20', '2026-03-21'].map((day) => quarterOf(Date.parse(`${day}T02:15:00+01:00`)))
  const skipped = chooser({ from: spring, until: spring + DAY_MS })({
    zone: 'Europe/Berlin',
    quarters: habit,
  })
  assert.deepEqual([skipped.hour, chosenAt(skipped)], [2, '2026-03-29T01:00:00.000Z'])
  const autumn = Date.parse('2026-10-24T20:00:00Z')
  const summer = ['2026-10-20', '2026-10-21'].map((day) => quarterOf(Date.parse(`${day}T02:15:00+02:00`)))
  const twice = chooser({ from: autumn, until: autumn + DAY_MS })({
    zone: 'Europe/Berlin',
    quarters: summer,
  })
  assert.deepEqual([twice.hour, chosenAt(twice)], [2, '2026-10-25T00:00:00.000Z'])
})

test('only hours of the window can be chosen: the best of them, else the brand’s best of them', () => {
  const choose = chooser({ until: NOW + 4 * HOUR_MS })
  const quarters = [...quartersAt('21:00:00', 9), ...quartersAt('15:30:00', 2)]
  assert.equal(chosenAt(choose({ zone: 'UTC', quarters })), '2026-06-17T15:00:00.000Z')
  const stranger = choose({ zone: 'UTC', quarters: quartersAt('21:00:00', 9) })
  assert.deepEqual([stranger.source, stranger.at], ['nobody', NOW])
  const last = chooser({ until: Date.parse('2026-06-17T18:00:00Z') })({ zone: 'UTC', quarters: [] })
  assert.equal(last.source, 'nobody')
})

test('an hour in quiet hours is not chosen, unless there is no other', () => {
  const quietHours = { from: '21:00', until: '08:00', inside: 'drop' } as const
  const quarters = [...quartersAt('23:00:00', 9), ...quartersAt('20:00:00', 1)]
  const choose = chooser({ quietHours })
  assert.equal(chosenAt(choose({ zone: 'UTC', quarters })), '2026-06-17T20:00:00.000Z')
  const night = Date.parse('2026-06-17T22:00:00Z')
  const inside = chooser({ quietHours, from: night, until: night + 2 * HOUR_MS })
  assert.equal(chosenAt(inside({ zone: 'UTC', quarters })), '2026-06-17T23:00:00.000Z')
})

test('an unknown zone is the brand’s', () => {
  const chosen = chooser({ brandZone: 'Asia/Tokyo' })({ zone: 'Mars/Base', quarters: [] })
  assert.equal(chosen.zone, 'Asia/Tokyo')
})
