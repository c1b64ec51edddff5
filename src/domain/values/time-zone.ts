/** The day that it is at a moment in a zone: `2026-05-17`. */
export function localDay(zone: string, at: number): string {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate().toString()
}

/**
 * A time zone in any form a caller writes it (decisions §3), as the one spelling `Temporal` takes: an IANA name,
 * or an offset such as `+05:30`. Null when it is none.
 */
export function timeZoneOf(text: string): string | null {
  if (text.length > ZONE_CHARS_MAX) return null
  if (UTC_NAME.test(text)) return 'UTC'
  const offset = OFFSET.exec(text)
  if (offset !== null) return fromMinutes(minutesOf(offset))
  if (HOURS.test(text)) return fromMinutes(Number(text) * 60)
  return namedZone(text)
}

const ZONE_CHARS_MAX = 64
const OFFSET_MINUTES_MAX = 14 * 60
const UTC_NAME = /^(?:z|utc|gmt)$/iu
/** `+05:30` and `+0530`; a sign is what tells them from a number of hours. */
const OFFSET = /^(?<sign>[+-])(?<hours>\d{2}):?(?<minutes>[0-5]\d)$/u
const HOURS = /^[+-]?\d{1,2}(?:\.\d{1,4})?$/u
/** Every IANA name begins with a letter, so an offset of a form not listed above is not taken for one. */
const NAME = /^[a-z][\w+/-]*$/iu

function minutesOf({ groups }: RegExpExecArray): number {
  const minutes = Number(groups?.['hours']) * 60 + Number(groups?.['minutes'])
  return groups?.['sign'] === '-' ? -minutes : minutes
}

function fromMinutes(minutes: number): string | null {
  const size = Math.abs(minutes)
  if (!Number.isInteger(minutes) || size > OFFSET_MINUTES_MAX) return null
  if (size === 0) return 'UTC'
  const hours = String(Math.floor(size / 60)).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${hours}:${String(size % 60).padStart(2, '0')}`
}

/** No list of the zone database has its aliases (`US/Pacific`), so the only way to ask is to use the name. */
function namedZone(text: string): string | null {
  if (!NAME.test(text)) return null
  try {
    return new Temporal.ZonedDateTime(0n, text).timeZoneId
  } catch {
    return null
  }
}
