import { DURATION_UNITS, JOURNEY_LIMITS, WEEKDAYS } from '../../rules/journeys.ts'
import { isJsonObject } from '../values/json.ts'
import { type JourneyReading, type Place, readObject, readWord, refusePlace } from './place.ts'
import type { QuietWindow } from './plan.ts'
import { quietUntil } from './time.ts'

/** A length of time as `{"hours": 2, "minutes": 30}`, in milliseconds. */
export function readDuration(reading: JourneyReading, { path, value }: Place): number | null {
  const units = Object.entries(DURATION_UNITS)
  const names = units.map(([name]) => name)
  const whole = readObject(reading, { path, value }, names)
  if (whole === null) return null
  const parts = units.map(([name, ms]) => ({ name, ms, count: whole[name] ?? 0 }))
  const bad = parts.find(({ count }) => !Number.isInteger(count) || Number(count) < 0)
  if (bad !== undefined) return refusePlace(reading, `${path}.${bad.name}`, 'it must be a whole number')
  const total = parts.reduce((sum, { count, ms }) => sum + Number(count) * ms, 0)
  const isFine = total >= JOURNEY_LIMITS.waitMsMin && total <= JOURNEY_LIMITS.waitMsMax
  if (isFine || !reading.isJudged) return total
  return refusePlace(reading, path, 'it must be between a second and 365 days')
}

/** `HH:mm` or `HH:mm:ss`, always kept with its seconds. */
export function readClock(reading: JourneyReading, { path, value }: Place): string | null {
  if (typeof value !== 'string' || !CLOCK.test(value)) {
    return refusePlace(reading, path, 'it must be a time of day such as 09:00')
  }
  return value.length === 5 ? `${value}:00` : value
}

const CLOCK = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/

/** A list of weekdays, as ISO numbers; none at all where the key is left out. */
export function readWeekdays(reading: JourneyReading, { path, value }: Place): readonly number[] | null {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length === 0 || value.length > WEEKDAYS.length) {
    return refusePlace(reading, path, `it must be a list of ${WEEKDAYS.join(', ')}`)
  }
  const days = value.flatMap((item: unknown, at) => {
    const day = readWord(reading, { path: `${path}[${at}]`, value: item }, WEEKDAYS)
    return day === null ? [] : [WEEKDAYS.indexOf(day) + 1]
  })
  return days.length === value.length ? days : null
}

/** `[{"days": ["monday"], "from": "22:00", "to": "08:00"}]`; without days it is every day. */
export function readQuietHours(reading: JourneyReading, { path, value }: Place): readonly QuietWindow[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || (reading.isJudged && value.length > JOURNEY_LIMITS.quietWindowsMax)) {
    refusePlace(reading, path, `it must be a list of at most ${JOURNEY_LIMITS.quietWindowsMax} windows`)
    return []
  }
  const windows = value.flatMap((item: unknown, at) =>
    readWindow(reading, { path: `${path}[${at}]`, value: item }),
  )
  if (!reading.isJudged) return windows
  const until = quietUntil(windows, 'UTC', A_MONDAY)
  if (until !== null && until - A_MONDAY >= WEEK_MS) {
    refusePlace(reading, path, 'they cover the whole week, so nothing would ever be sent')
  }
  return windows
}

const A_MONDAY = Date.UTC(2026, 0, 5)
const WEEK_MS = DURATION_UNITS.weeks
const EVERY_DAY = WEEKDAYS.map((_, index) => index + 1)

function readWindow(reading: JourneyReading, place: Place): readonly QuietWindow[] {
  const { path } = place
  const whole = readObject(reading, place, ['days', 'to', 'from'])
  if (whole === null || !isJsonObject(whole)) return []
  const weekdays = readWeekdays(reading, { path: `${path}.days`, value: whole['days'] })
  const from = readClock(reading, { path: `${path}.from`, value: whole['from'] })
  const to = readClock(reading, { path: `${path}.to`, value: whole['to'] })
  if (weekdays === null || from === null || to === null) return []
  if (reading.isJudged && from === to) {
    refusePlace(reading, path, 'it must not end when it begins')
    return []
  }
  return [{ weekdays: weekdays.length === 0 ? EVERY_DAY : weekdays, from, to }]
}
