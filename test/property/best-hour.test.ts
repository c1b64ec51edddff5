import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { bestHours } from '../../src/domain/campaigns/best-hour.ts'
import { quarterOf } from '../../src/domain/campaigns/local-hours.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'America/St_Johns',
  'Africa/Casablanca',
  'Pacific/Apia',
  '+05:45',
]

const query = fc.record({
  zone: fc.constantFrom(...ZONES),
  from: fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2027-12-31') }),
  hours: fc.integer({ min: 1, max: 24 }),
  agos: fc.array(fc.integer({ min: 0, max: 70 * 96 }), { maxLength: 60 }),
})

/** The days on which somebody was active at an hour, as a calendar counts them. */
function daysAt(
  quarters: readonly number[],
  { zone, from, hour }: { zone: string; from: number; hour: number },
) {
  const days = quarters
    .filter((quarter) => quarter <= quarterOf(from) && quarter > quarterOf(from) - 60 * 96)
    .map((quarter) => Temporal.Instant.fromEpochMilliseconds(quarter * 900_000).toZonedDateTimeISO(zone))
    .filter((at) => at.hour === hour)
    .map((at) => at.toPlainDate().toString())
  return new Set(days).size
}

test('the chosen instant lies in the window and in the hour, and no hour of a whole day has more days', () => {
  fc.assert(
    fc.property(query, ({ zone, from, hours, agos }) => {
      const quarters = agos.map((ago) => quarterOf(from) - ago)
      const until = from + hours * HOUR_MS
      const choose = bestHours({ from, until, brandZone: 'UTC', quietHours: null, brandQuarters: [] })
      const chosen = choose({ zone, quarters })
      assert.ok(chosen.at >= from && chosen.at < until)
      assert.deepEqual(choose({ zone, quarters: quarters.toReversed().concat(quarters) }), chosen)
      if (chosen.source !== 'person') return
      assert.equal(chosen.count, daysAt(quarters, { zone, from, hour: chosen.hour }))
      const local = Temporal.Instant.fromEpochMilliseconds(chosen.at).toZonedDateTimeISO(zone)
      const isSkipped = local.hour !== chosen.hour
      if (isSkipped) assert.ok(local.subtract({ minutes: 1 }).hour < chosen.hour)
      if (until - from < DAY_MS) return
      for (let hour = 0; hour < 24; hour += 1)
        assert.ok(daysAt(quarters, { zone, from, hour }) <= chosen.count, `${hour} has more days`)
    }),
    { numRuns: 500 },
  )
})

test('of two hours with equal days the one that comes first is chosen', () => {
  fc.assert(
    fc.property(query, ({ zone, from, agos }) => {
      const quarters = agos.map((ago) => quarterOf(from) - ago)
      const span = { from, brandZone: 'UTC', quietHours: null, brandQuarters: [] }
      const chosen = bestHours({ ...span, until: from + DAY_MS })({ zone, quarters })
      if (chosen.source !== 'person' || chosen.at === from) return
      const earlier = bestHours({ ...span, until: chosen.at })({ zone, quarters })
      assert.ok(earlier.source !== 'person' || earlier.count < chosen.count)
    }),
    { numRuns: 300 },
  )
})
