import { dateFormat } from '../kit/formats.ts'
import type { Language } from '../kit/texts.tsx'

type SpanOf = { readonly by: string; readonly zone: string; readonly language: Language }

/** An hour, a day or the first day of a week, in the zone of the series. */
export function spanName(
  start: string | undefined,
  { by, zone, language }: SpanOf,
  how: 'short' | 'long',
): string {
  if (start === undefined) return ''
  const isLong = how === 'long'
  const day: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', ...yearOf(start) }
  const longDay: Intl.DateTimeFormatOptions = { ...day, weekday: 'short' }
  const hour: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' }
  const parts = {
    ...(isLong ? longDay : {}),
    ...(by === 'hour' && (isLong || !isMidnight(start)) ? hour : day),
  }
  return dateFormat(language, { ...parts, timeZone: zone }).format(new Date(start))
}

/** Below the bars of hours, midnight has the name of its day. An edge is written with the clock of its zone. */
function isMidnight(start: string): boolean {
  return start.slice(10, 16) === 'T00:00'
}

/** A day of another year than this one says its year. */
export function yearOf(start: string): Intl.DateTimeFormatOptions {
  return Number(start.slice(0, 4)) === new Date().getFullYear() ? {} : { year: 'numeric' }
}
