import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutSpans, edgeTexts, SPAN_MS, storedRuns } from '../../src/domain/series/spans.ts'
import type { SeriesSpan } from '../../src/rules/series.ts'

function edges(by: SeriesSpan, zone: string, from: string, to: string): readonly string[] {
  const range = { by, zone, fromAt: Date.parse(from), toAt: Date.parse(to) }
  return edgeTexts(zone, cutSpans(range))
}

function lengths(from: string, to: string): readonly number[] {
  const cut = cutSpans({ by: 'day', zone: 'Europe/Berlin', fromAt: Date.parse(from), toAt: Date.parse(to) })
  return cut.slice(1).map((edge, place) => (edge - (cut[place] ?? 0)) / SPAN_MS.hour)
}

test('days of a zone with summer time begin at its midnight and have 23, 24 or 25 hours', () => {
  const spring = edges('day', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z')
  assert.deepEqual(spring, [
    '2026-03-28T00:00:00+01:00',
    '2026-03-29T00:00:00+01:00',
    '2026-03-30T00:00:00+02:00',
    '2026-03-31T00:00:00+02:00',
  ])
  assert.deepEqual(lengths('2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z'), [24, 23, 24])
  assert.deepEqual(lengths('2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z'), [24, 25, 24])
})

test('a day that begins at one o’clock, because clocks are set forward at midnight, begins there', () => {
  assert.deepEqual(edges('day', 'Africa/Cairo', '2026-04-24T12:00:00Z', '2026-04-24T13:00:00Z'), [
    '2026-04-24T01:00:00+03:00',
    '2026-04-25T00:00:00+03:00',
  ])
})

test('hours of a zone that is 45 minutes off begin with its full hours', () => {
  assert.deepEqual(edges('hour', 'Asia/Kathmandu', '2026-05-01T10:20:00Z', '2026-05-01T11:16:00Z'), [
    '2026-05-01T16:00:00+05:45',
    '2026-05-01T17:00:00+05:45',
    '2026-05-01T18:00:00+05:45',
  ])
})

test('an hour that comes twice is two spans, and half an hour that is set back makes a short one', () => {
  assert.deepEqual(edges('hour', 'Europe/Berlin', '2026-10-25T00:00:00Z', '2026-10-25T02:00:00Z'), [
    '2026-10-25T02:00:00+02:00',
    '2026-10-25T02:00:00+01:00',
    '2026-10-25T03:00:00+01:00',
  ])
  assert.deepEqual(edges('hour', 'Australia/Lord_Howe', '2026-04-04T14:00:00Z', '2026-04-04T16:00:00Z'), [
    '2026-04-05T01:00:00+11:00',
    '2026-04-05T01:30:00+10:30',
    '2026-04-05T02:00:00+10:30',
    '2026-04-05T03:00:00+10:30',
  ])
})

test('weeks begin on Monday, minutes with the minute, and every span follows the one before', () => {
  assert.deepEqual(edges('week', 'America/New_York', '2026-11-01T05:00:00Z', '2026-11-02T04:00:00Z'), [
    '2026-10-26T00:00:00-04:00',
    '2026-11-02T00:00:00-05:00',
  ])
  assert.equal(edges('minute', 'UTC', '2026-01-01T00:00:30Z', '2026-01-01T00:02:00Z').length, 3)
  for (const zone of ['America/St_Johns', 'Pacific/Chatham', 'Africa/Casablanca', '+12:45', 'UTC']) {
    for (const by of ['hour', 'day', 'week'] as const) {
      const cut = cutSpans({
        by,
        zone,
        fromAt: Date.UTC(2026, 0, 1),
        toAt: Date.UTC(2026, by === 'hour' ? 1 : 11, 1),
      })
      assert.ok(
        cut.every((edge, place) => place === 0 || edge > (cut[place - 1] ?? 0)),
        `${by} in ${zone}`,
      )
    }
  }
})

/** The local date and time of a moment. */
function local(zone: string, at: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
}

test('in every zone days and hours around its changes of clocks are the days and hours of the calendar', () => {
  const year = { fromAt: Date.UTC(2025, 11, 30), toAt: Date.UTC(2027, 0, 3) }
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const days = cutSpans({ by: 'day', zone, ...year })
    const first = local(zone, days[0] ?? 0).toPlainDate()
    const expected = days.map((_, place) => first.add({ days: place }).toZonedDateTime(zone))
    assert.deepEqual(
      days,
      expected.map(({ epochMilliseconds }) => epochMilliseconds),
      zone,
    )
    assert.deepEqual(
      edgeTexts(zone, days),
      expected.map((day) => day.toString({ timeZoneName: 'never', smallestUnit: 'second' })),
    )
    const change = local(zone, year.fromAt).getTimeZoneTransition('next')?.epochMilliseconds ?? 0
    if (change === 0) continue
    const hours = cutSpans({
      by: 'hour',
      zone,
      fromAt: change - 3 * SPAN_MS.hour,
      toAt: change + 3 * SPAN_MS.hour,
    })
    // Before and after the change every hour begins with minute 0. Only the one at the change may not.
    const odd = hours.filter((edge) => local(zone, edge).minute !== 0)
    assert.ok(odd.length === 0 || (odd.length === 1 && odd[0] === change), zone)
  }
})

/** The day of the month, and the time of day. */
function shortTime(at: number | null): string {
  return at === null ? 'open' : new Date(at).toISOString().slice(8, 16)
}

/** The runs of two days or hours of a zone, with their times in short. */
function runsOf(
  by: SeriesSpan,
  zone: string,
  isOpen: boolean,
): readonly (readonly [number, string, string])[] {
  const [fromAt, toAt] = [Date.parse('2026-05-01T12:00:00Z'), Date.parse('2026-05-02T13:00:00Z')]
  const found = storedRuns({ by, edges: cutSpans({ by, zone, fromAt, toAt }), isOpen })
  return found.map((run) => [run.minutes, shortTime(run.fromAt), shortTime(run.toAt)])
}

test('spans are sums of full hours, and of quarters only around edges within an hour', () => {
  assert.deepEqual(runsOf('day', 'Europe/Berlin', false), [[60, '30T22:00', '02T22:00']])
  assert.deepEqual(runsOf('day', 'Europe/Berlin', true), [[60, '30T22:00', 'open']])
  assert.deepEqual(runsOf('day', 'Asia/Kathmandu', false), [
    [15, '30T18:15', '30T19:00'],
    [60, '30T19:00', '01T18:00'],
    [15, '01T18:00', '01T19:00'],
    [60, '01T19:00', '02T18:00'],
    [15, '02T18:00', '02T18:15'],
  ])
  assert.deepEqual(runsOf('day', 'Asia/Kathmandu', true).slice(-2), [
    [15, '02T18:00', '02T19:00'],
    [60, '02T19:00', 'open'],
  ])
  assert.deepEqual(runsOf('hour', 'Asia/Kathmandu', false), [[15, '01T11:15', '02T13:15']])
  assert.deepEqual(runsOf('minute', 'UTC', false), [[1, '01T12:00', '02T13:00']])
})
