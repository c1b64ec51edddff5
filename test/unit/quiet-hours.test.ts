import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type QuietHours, quietHoursEnd, quietHoursFault } from '../../src/domain/preferences/quiet-hours.ts'
import { withhold } from '../../src/domain/preferences/withholding.ts'

const NIGHT: QuietHours = { from: '22:00', until: '08:00', inside: 'later' }
const MINUTE = 60_000
const HOUR = 60 * MINUTE

const instant = (wall: string, zone: string, disambiguation: 'earlier' | 'later' = 'earlier'): number =>
  Temporal.PlainDateTime.from(wall).toZonedDateTime(zone, { disambiguation }).epochMilliseconds

/** Quarter-hour zones, zones that change by half an hour, and zones that change at midnight are among them. */
const ZONES = [
  'Pacific/Niue',
  'Pacific/Honolulu',
  'America/Anchorage',
  'America/Los_Angeles',
  'America/Phoenix',
  'America/Chicago',
  'America/New_York',
  'America/Caracas',
  'America/St_Johns',
  'America/Sao_Paulo',
  'America/Havana',
  'Atlantic/Azores',
  'UTC',
  'Europe/London',
  'Europe/Berlin',
  'Africa/Cairo',
  'Asia/Beirut',
  'Asia/Tehran',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  '+05:30',
]

test('quiet hours begin at their first instant and end at their last, also past midnight', () => {
  const zone = 'Europe/Berlin'
  const ends = (hours: QuietHours, wall: string) => quietHoursEnd(hours, zone, instant(wall, zone))
  const end = instant('2026-11-18T08:00', zone)
  assert.equal(ends(NIGHT, '2026-11-17T21:59:59.999'), null)
  assert.equal(ends(NIGHT, '2026-11-17T22:00'), end)
  assert.equal(ends(NIGHT, '2026-11-17T23:59:59.999'), end)
  assert.equal(ends(NIGHT, '2026-11-18T00:00'), end)
  assert.equal(ends(NIGHT, '2026-11-18T07:59:59.999'), end)
  assert.equal(ends(NIGHT, '2026-11-18T08:00'), null)
  const noon: QuietHours = { ...NIGHT, from: '12:00', until: '13:30' }
  assert.equal(ends(noon, '2026-11-17T11:59:59.999'), null)
  assert.equal(ends(noon, '2026-11-17T12:00'), instant('2026-11-17T13:30', zone))
  assert.equal(ends(noon, '2026-11-17T13:30'), null)
})

test('a jump of the clock ends the quiet hours, and an hour that comes twice is quiet twice', () => {
  const rows = [
    // Berlin skips 02:00 to 03:00 on the 29th of March, and repeats 02:00 to 03:00 on the 25th of October.
    { zone: 'Europe/Berlin', until: '02:30', at: '2026-03-28T23:00', end: '2026-03-29T03:00' },
    { zone: 'Europe/Berlin', until: '03:30', at: '2026-03-28T23:00', end: '2026-03-29T03:30' },
    { zone: 'Europe/Berlin', until: '02:30', at: '2026-10-24T23:00', end: '2026-10-25T02:30' },
    // Lord Howe changes by half an hour.
    { zone: 'Australia/Lord_Howe', until: '02:15', at: '2026-10-03T23:00', end: '2026-10-04T02:30' },
    // Beirut and Havana change at midnight.
    { zone: 'Asia/Beirut', until: '00:30', at: '2026-03-28T23:00', end: '2026-03-29T01:00' },
    { zone: 'America/Havana', until: '08:00', at: '2026-03-07T23:00', end: '2026-03-08T08:00' },
  ]
  for (const { zone, until, at, end } of rows) {
    const found = quietHoursEnd({ ...NIGHT, until }, zone, instant(at, zone))
    assert.equal(
      found === null ? null : new Date(found).toISOString(),
      new Date(instant(end, zone)).toISOString(),
      `${zone} ${at}`,
    )
  }
  const zone = 'Europe/Berlin'
  const second = instant('2026-10-25T02:10', zone, 'later')
  const hours: QuietHours = { ...NIGHT, from: '02:00', until: '02:30' }
  assert.equal(quietHoursEnd(hours, zone, second), instant('2026-10-25T02:30', zone, 'later'))
})

test('in 24 zones and more, all through the days on which clocks change, the wall decides', () => {
  const windows: readonly QuietHours[] = [
    NIGHT,
    { ...NIGHT, from: '00:00', until: '06:00' },
    { ...NIGHT, from: '23:45', until: '00:15' },
    { ...NIGHT, from: '02:15', until: '02:45' },
    { ...NIGHT, from: '12:00', until: '11:45' },
  ]
  for (const zone of ZONES) {
    for (const day of changingDays(zone)) {
      for (const hours of windows) {
        for (let at = day - 26 * HOUR; at <= day + 26 * HOUR; at += 15 * MINUTE) check(hours, zone, at)
      }
    }
  }
})

/** The last clock changes of a zone in 2026; an ordinary day for a zone that has none. */
function changingDays(zone: string): readonly number[] {
  const changes: number[] = []
  let at = Temporal.Instant.from('2026-01-01T00:00Z').toZonedDateTimeISO(zone)
  for (let count = 0; count < 2; count += 1) {
    const next = at.getTimeZoneTransition('next')
    if (next === null || next.year > 2026) break
    changes.push(next.epochMilliseconds)
    at = next
  }
  return changes.length === 0 ? [instant('2026-05-17T00:00', zone)] : changes
}

/** Every quarter of an hour until the end is quiet on the wall, and the end is not. */
function check(hours: QuietHours, zone: string, at: number): void {
  const end = quietHoursEnd(hours, zone, at)
  const words = `${zone} ${hours.from}-${hours.until} at ${new Date(at).toISOString()}`
  assert.equal(end !== null, isQuietOnWall(hours, zone, at), words)
  if (end === null) return
  assert.ok(end > at && end <= at + 26 * HOUR, words)
  assert.ok(!isQuietOnWall(hours, zone, end), words)
  for (let moment = at; moment < end; moment += 15 * MINUTE) {
    assert.ok(isQuietOnWall(hours, zone, moment), `${words}: ${new Date(moment).toISOString()}`)
  }
}

/** By the words that a formatter prints, so that the law does not lean on the code it is about. */
function isQuietOnWall({ from, until }: QuietHours, zone: string, at: number): boolean {
  const clock = clockIn(zone, at)
  return from < until ? clock >= from && clock < until : clock >= from || clock < until
}

const clocks = new Map<string, string>()
const formatters = new Map<string, Intl.DateTimeFormat>()

/** Every quarter of an hour is asked for many times. */
function clockIn(zone: string, at: number): string {
  const name = `${zone} ${at}`
  const clock = clocks.get(name) ?? formatter(zone).format(at)
  clocks.set(name, clock)
  return clock
}

function formatter(timeZone: string): Intl.DateTimeFormat {
  const options = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const found = formatters.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', options)
  formatters.set(timeZone, found)
  return found
}

test('an opt-out goes before quiet hours, and what would expire in them is dropped', () => {
  const zone = 'UTC'
  const now = instant('2026-11-17T23:00', zone)
  const until = instant('2026-11-18T08:00', zone)
  const facts = { topic: 'offers', optOuts: [], quietHours: NIGHT, zone, now, expiresAt: until + 1 }
  const quiet = { kind: 'drop', reason: 'quiet_hours' }
  assert.deepEqual(withhold(facts), { kind: 'later', reason: 'quiet_hours', until })
  assert.deepEqual(withhold({ ...facts, expiresAt: until }), quiet)
  assert.deepEqual(withhold({ ...facts, quietHours: { ...NIGHT, inside: 'drop' } }), quiet)
  const optOuts = [{}, { offers: '2026-11-01T00:00:00.000Z' }]
  assert.deepEqual(withhold({ ...facts, optOuts }), { kind: 'drop', reason: 'opted_out' })
  assert.equal(withhold({ ...facts, now: until }), null)
  assert.equal(withhold({ ...facts, quietHours: null }), null)
})

test('quiet hours that begin and end at the same time are refused', () => {
  assert.equal(quietHoursFault(NIGHT), null)
  assert.equal(quietHoursFault({ ...NIGHT, until: NIGHT.from })?.field, 'quiet_hours.until')
})
