import { DURATION_UNITS, JOURNEY_LIMITS, WEEKDAYS } from '../../rules/journeys.ts'
import { listAt, numberAt, textAt } from '../values/checked.ts'
import { type DocumentReading, refusePart } from '../values/document-reading.ts'
import type { JsonObject } from '../values/json.ts'
import type { Path } from '../values/path.ts'
import { type QuietWindow, quietUntil } from './time.ts'

type Checked<Value> = { readonly path: Path; readonly value: Value }

/** A length of time as `{"hours": 2, "minutes": 30}`, in milliseconds. */
export function readDuration(reading: DocumentReading, { path, value }: Checked<JsonObject>): number | null {
  const parts = Object.entries(DURATION_UNITS).map(([name, ms]) =>
    value[name] === undefined ? 0 : numberAt(value, name) * ms,
  )
  const total = parts.reduce((sum, part) => sum + part, 0)
  const isFine = total >= JOURNEY_LIMITS.waitMsMin && total <= JOURNEY_LIMITS.waitMsMax
  if (isFine || !reading.isJudged) return total
  refusePart(reading, path, 'it must be between a second and 365 days')
  return null
}

/** `HH:mm` or `HH:mm:ss`, always kept with its seconds. */
export function clockAt(whole: JsonObject, name: string): string {
  const text = textAt(whole, name)
  return text.length === 5 ? `${text}:00` : text
}

/** A list of weekdays, as ISO numbers; none at all where the key is left out. */
export function weekdaysAt(whole: JsonObject, name: string): readonly number[] {
  const days: readonly unknown[] = WEEKDAYS
  return whole[name] === undefined ? [] : listAt(whole, name).map((day) => days.indexOf(day) + 1)
}

/** Quiet hours whose shape was checked. They must leave a moment of the week in which something can be sent. */
export function readQuietHours(
  reading: DocumentReading,
  { path, value }: Checked<readonly JsonObject[]>,
): readonly QuietWindow[] {
  const windows = value.map((whole, at) => {
    const window = windowOf(whole)
    if (reading.isJudged && window.from === window.to) {
      refusePart(reading, `${path}[${at}]`, 'it must not end when it begins')
    }
    return window
  })
  if (!reading.isJudged) return windows
  const until = quietUntil(windows, 'UTC', A_MONDAY)
  if (until !== null && until - A_MONDAY >= DURATION_UNITS.weeks) {
    refusePart(reading, path, 'they cover the whole week, so nothing would ever be sent')
  }
  return windows
}

const A_MONDAY = Date.UTC(2026, 0, 5)
const EVERY_DAY = WEEKDAYS.map((_, index) => index + 1)

function windowOf(whole: JsonObject): QuietWindow {
  const weekdays = weekdaysAt(whole, 'days')
  return {
    weekdays: weekdays.length === 0 ? EVERY_DAY : weekdays,
    from: clockAt(whole, 'from'),
    to: clockAt(whole, 'to'),
  }
}
