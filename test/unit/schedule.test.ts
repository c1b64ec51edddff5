import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planSchedule, sendInstantOf, type Timing } from '../../src/domain/push/schedule.ts'
import type { ErrorCode } from '../../src/rules/errors.ts'
import { PUSH_LIMITS } from '../../src/rules/push.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')

function utc(at: number): Timing {
  return { kind: 'at', wall: new Date(at).toISOString().slice(0, 19), zone: 'UTC' }
}

function planned(timing: Timing, now = NOW) {
  const plan = planSchedule(timing, now)
  assert.ok(plan.ok)
  return plan.value
}

function refusal(timing: Timing): ErrorCode {
  const plan = planSchedule(timing, NOW)
  assert.ok(!plan.ok)
  return plan.rejection.faults[0].code
}

test('without a schedule it is due at once', () => {
  assert.deepEqual(planned({ kind: 'now' }), { isDue: true, sendAt: NOW, lastAt: NOW, wall: null })
})

test('a delay counts from now, and a delay of nothing is now', () => {
  assert.deepEqual(planned({ kind: 'after', delayMs: 5_000 }), {
    isDue: false,
    sendAt: NOW + 5_000,
    lastAt: NOW + 5_000,
    wall: null,
  })
  assert.equal(planned({ kind: 'after', delayMs: 0 }).isDue, true)
})

test('a moment that is now is due, and one a second later is not', () => {
  assert.equal(planned(utc(NOW)).isDue, true)
  assert.equal(planned(utc(NOW + 1_000)).isDue, false)
})

test('a campaign by each person’s own hour begins now and ends when its hours are over', () => {
  const plan = planned({ kind: 'best_hour', withinMs: 7_200_000 })
  const until = NOW + 7_200_000
  assert.deepEqual(plan, { isDue: true, sendAt: NOW, lastAt: until, wall: null, bestHourUntil: until })
})

test('a moment just within the grace is sent now, one second before it is refused', () => {
  assert.deepEqual(planned(utc(NOW - PUSH_LIMITS.pastGraceMs)), {
    isDue: true,
    sendAt: NOW,
    lastAt: NOW,
    wall: null,
  })
  assert.equal(refusal(utc(NOW - PUSH_LIMITS.pastGraceMs - 1_000)), 'schedule_in_past')
})

test('a year ahead is the last good moment', () => {
  assert.equal(planned(utc(NOW + PUSH_LIMITS.aheadMsMax)).sendAt, NOW + PUSH_LIMITS.aheadMsMax)
  assert.equal(refusal(utc(NOW + PUSH_LIMITS.aheadMsMax + 1_000)), 'schedule_too_far')
})

test('a local time skipped by daylight saving moves forward', () => {
  assert.equal(sendInstantOf('2026-03-29T02:30:00', 'Europe/Paris'), Date.parse('2026-03-29T03:30:00+02:00'))
  assert.equal(
    sendInstantOf('2026-03-08T02:30:00', 'America/New_York'),
    Date.parse('2026-03-08T03:30:00-04:00'),
  )
})

test('a local time repeated by daylight saving is the first of the two', () => {
  assert.equal(sendInstantOf('2026-10-25T02:30:00', 'Europe/Paris'), Date.parse('2026-10-25T02:30:00+02:00'))
  assert.equal(
    sendInstantOf('2026-11-01T01:30:00', 'America/New_York'),
    Date.parse('2026-11-01T01:30:00-04:00'),
  )
})

test('an offset zone is taken as it is', () => {
  assert.equal(sendInstantOf('2026-06-01T09:00:00', '+05:30'), Date.parse('2026-06-01T03:30:00Z'))
})

test('a subscriber schedule opens when the first clock on earth reaches it', () => {
  const { isDue, sendAt, wall } = planned({ kind: 'subscriber', wall: '2026-03-05T09:00:00' })
  assert.equal(isDue, false)
  assert.equal(sendAt, Date.parse('2026-03-05T09:00:00+14:00'))
  assert.equal(wall, '2026-03-05T09:00:00')
})

test('a subscriber schedule that has passed in some zones only is accepted and due', () => {
  const { isDue, sendAt } = planned({ kind: 'subscriber', wall: '2026-03-01T12:00:00' })
  assert.deepEqual({ isDue, sendAt }, { isDue: true, sendAt: NOW })
})

test('a subscriber schedule is refused once it has passed everywhere', () => {
  const lastMinute = Date.parse('2026-03-01T12:00:00-12:00') + PUSH_LIMITS.pastGraceMs
  const timing = { kind: 'subscriber', wall: '2026-03-01T12:00:00' } as const
  assert.ok(planSchedule(timing, lastMinute).ok)
  assert.ok(!planSchedule(timing, lastMinute + 1).ok)
})
