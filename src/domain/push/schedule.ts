import { PUSH_LIMITS } from '../../rules/push.ts'
import { fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'
import { unreachable } from '../unreachable.ts'

/** The time at which a caller wants a notification sent. A `wall` is a local date and time, `2026-03-29T02:30:00`. */
export type Timing =
  | { readonly kind: 'now' }
  | { readonly kind: 'after'; readonly delayMs: number }
  | { readonly kind: 'at'; readonly wall: string; readonly zone: string }
  /** At that time on each subscriber's own clock. */
  | { readonly kind: 'subscriber'; readonly wall: string }
  /** At the hour of the day at which each person is most often active, within this time. */
  | { readonly kind: 'best_hour'; readonly withinMs: number }

/**
 * The time of sending: no message is sent before `sendAt`, and the last zone is due at `lastAt`. `wall` is the local
 * time of a notification that is sent at each subscriber's own time; `instantOf` finds the instant for a zone.
 */
export type Schedule = {
  readonly isDue: boolean
  readonly sendAt: number
  readonly lastAt: number
  readonly wall: string | null
  /** The end of the time in which each person gets the notification at their own hour; absent when that does not matter. */
  readonly bestHourUntil?: number
}

export function planSchedule(timing: Timing, now: number): Result<Schedule> {
  switch (timing.kind) {
    case 'now':
      return accept(atOnce(now))
    case 'after':
      return accept({ ...atOnce(now + timing.delayMs), isDue: timing.delayMs <= 0 })
    case 'at': {
      const at = sendInstantOf(timing.wall, timing.zone)
      return planMoment({ first: at, last: at, wall: null }, now)
    }
    case 'subscriber':
      return planMoment(
        {
          first: sendInstantOf(timing.wall, EARLIEST_ZONE),
          last: lastInstantOf(timing.wall),
          wall: timing.wall,
        },
        now,
      )
    case 'best_hour': {
      const until = now + timing.withinMs
      return accept({ ...atOnce(now), lastAt: until, bestHourUntil: until })
    }
    default:
      return unreachable(timing)
  }
}

/**
 * The instant, in epoch milliseconds, of a local time in a zone. A time that daylight saving skips moves forward
 * by the gap; of one that it repeats, the first is meant (decisions §3).
 */
export function sendInstantOf(wall: string, zone: string): number {
  return Temporal.PlainDateTime.from(wall).toZonedDateTime(zone, { disambiguation: 'compatible' })
    .epochMilliseconds
}

/** When a local time has come everywhere on earth. */
export function lastInstantOf(wall: string): number {
  return sendInstantOf(wall, LATEST_ZONE)
}

function atOnce(at: number): Schedule {
  return { isDue: true, sendAt: at, lastAt: at, wall: null }
}

/** The same wall-clock time comes first where clocks are fourteen hours ahead, and last where they are twelve behind. */
const EARLIEST_ZONE = '+14:00'
const LATEST_ZONE = '-12:00'

type Moment = { readonly first: number; readonly last: number; readonly wall: string | null }

/** A subscriber schedule is too late only when it has passed everywhere. */
function planMoment({ first, last, wall }: Moment, now: number): Result<Schedule> {
  if (last < now - PUSH_LIMITS.pastGraceMs) {
    return reject(fault('schedule_in_past', 'schedule_date', { at: new Date(last).toISOString() }))
  }
  if (first > now + PUSH_LIMITS.aheadMsMax) {
    return reject(
      fault('schedule_too_far', 'schedule_date', { at: new Date(first).toISOString(), days: AHEAD_DAYS_MAX }),
    )
  }
  return accept({ isDue: first <= now, sendAt: Math.max(first, now), lastAt: Math.max(last, now), wall })
}

const AHEAD_DAYS_MAX = PUSH_LIMITS.aheadMsMax / 86_400_000
