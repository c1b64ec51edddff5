/** A date written as text: `day` is `yyyy-MM-dd`, `local` has a time and no offset, `exact` has both. */
type WrittenDate = {
  readonly kind: 'day' | 'local' | 'exact'
  /** The written date and time in milliseconds, as if it were UTC. */
  readonly wallMs: number
  /** How far the clock it was read from is ahead of UTC; 0 when the text does not say. */
  readonly offsetMs: number
  /** Whether it is in the contract's own form, `yyyy-MM-dd HH:mm:ss`, and not ISO 8601. */
  readonly isContractForm: boolean
}

/**
 * Reads `yyyy-MM-dd`, `yyyy-MM-dd HH:mm:ss` or an ISO 8601 date-time (decisions §4). Null for any other text, and
 * for one that has the form but is no day of the calendar or no time of day: 2026-02-30, 24:00:00. Every text in
 * every event passes here, so it looks at characters and leaves patterns to the rare ends.
 */
export function readDate(text: string): WrittenDate | null {
  if (text.charCodeAt(4) !== HYPHEN || text.charCodeAt(7) !== HYPHEN) return null
  const dayMs = readDay(text)
  if (dayMs === null) return null
  if (text.length === DAY_CHARS) return { kind: 'day', wallMs: dayMs, offsetMs: 0, isContractForm: false }
  const mark = text.charCodeAt(DAY_CHARS)
  if (mark === SPACE) return readContractForm(text, dayMs)
  return mark === LETTER_T ? readIsoForm(text, dayMs) : null
}

const HYPHEN = 0x2d
const COLON = 0x3a
const SPACE = 0x20
const LETTER_T = 0x54
const DAY_CHARS = 10
const CONTRACT_CHARS = 19
const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

function readDay(text: string): number | null {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  const isReal = year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
  return isReal ? startOf({ year, month, day }) : null
}

/** NaN when they are not digits; it fails every comparison that follows. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 0x30
  const ones = text.charCodeAt(at + 1) - 0x30
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return isLeap ? 29 : 28
}

/** The calendar repeats after 400 years; going through the next round keeps `Date.UTC` from reading 99 as 1999. */
function startOf(date: { readonly year: number; readonly month: number; readonly day: number }): number {
  return Date.UTC(date.year + 400, date.month - 1, date.day) - ROUND_MS
}

const ROUND_MS = 146_097 * 24 * HOUR_MS

function readContractForm(text: string, dayMs: number): WrittenDate | null {
  const timeMs = text.length === CONTRACT_CHARS ? readTime(text) : null
  return timeMs === null ? null : { kind: 'local', wallMs: dayMs + timeMs, offsetMs: 0, isContractForm: true }
}

/** `HH:mm:ss` where it stands in both forms. */
function readTime(text: string): number | null {
  if (text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return null
  const hour = twoDigits(text, 11)
  const minute = twoDigits(text, 14)
  const second = twoDigits(text, 17)
  const isReal = hour <= 23 && minute <= 59 && second <= 59
  return isReal ? hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS : null
}

/** Seconds, their fraction and the offset may each be left out; minutes have no fraction. */
function readIsoForm(text: string, dayMs: number): WrittenDate | null {
  const hasSeconds = text.charCodeAt(16) === COLON
  const timeMs = readTime(hasSeconds ? text : `${text.slice(0, 16)}:00`)
  const end = hasSeconds ? ISO_END.exec(text.slice(CONTRACT_CHARS)) : ISO_ZONE.exec(text.slice(16))
  if (timeMs === null || end === null) return null
  const [, fraction = '', zone] = end
  const offsetMs = offsetOf(zone)
  if (offsetMs === null) return null
  const wallMs = dayMs + timeMs + Number(fraction.slice(0, 3).padEnd(3, '0'))
  return { kind: zone === undefined ? 'local' : 'exact', wallMs, offsetMs, isContractForm: false }
}

const ISO_END = /^(?:[.,](\d{1,9}))?(Z|[+-]\d\d(?::?\d\d)?)?$/
const ISO_ZONE = /^()(Z|[+-]\d\d(?::?\d\d)?)?$/

function offsetOf(zone: string | undefined): number | null {
  if (zone === undefined || zone === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', ''))
  if (hours > 23 || minutes > 59) return null
  const ms = hours * HOUR_MS + minutes * MINUTE_MS
  return zone.startsWith('-') ? -ms : ms
}
