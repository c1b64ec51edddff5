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
  const day: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' }
  const longDay: Intl.DateTimeFormatOptions = { ...day, weekday: 'short' }
  const hour: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' }
  const parts = {
    ...(isLong ? longDay : {}),
    ...(by === 'hour' ? hour : day),
  }
  return dateFormat(language, { ...parts, timeZone: zone }).format(new Date(start))
}
