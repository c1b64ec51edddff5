import { Tooltip } from '@mantine/core'
import { dateFormat, RELATIVE_TIMES } from './formats.ts'
import { KIT_TEXTS } from './kit-texts.ts'
import { useRead } from './queries.ts'
import { type Language, useLanguage, useTexts } from './texts.tsx'

/** An instant as a person says it, in the reader's zone; exact, and in the brand's zone too, on hover. */
export function Time({ at, how = 'short' }: { readonly at: string; readonly how?: 'short' | 'ago' }) {
  const { language } = useLanguage()
  const { justNow } = useTexts(KIT_TEXTS)
  const { data } = useRead('GET /api/v1/brand', {})
  const date = new Date(at)
  const said = how === 'ago' ? agoOf(date, language, justNow) : shortOf(date, language)
  const own = exactOf(date, language)
  const zone = data?.brand.time_zone
  const label = zone === undefined ? own : `${own} · ${exactOf(date, language, zone)} (${zone})`
  return (
    <Tooltip label={label}>
      <time dateTime={at}>{said}</time>
    </Tooltip>
  )
}

export function exactOf(date: Date, language: Language, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone }
  return dateFormat(language, { dateStyle: 'medium', timeStyle: 'medium', ...zone }).format(date)
}

/** The time today, the weekday within a week, else the date. */
export function shortOf(date: Date, language: Language): string {
  const now = new Date()
  const isToday = date.toDateString() === now.toDateString()
  const time = dateFormat(language, { hour: 'numeric', minute: '2-digit' }).format(date)
  if (isToday) return time
  const isNear = Math.abs(now.getTime() - date.getTime()) < 6 * DAY_MS
  if (isNear) return `${dateFormat(language, { weekday: 'short' }).format(date)} ${time}`
  const year: Intl.DateTimeFormatOptions = date.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' }
  return dateFormat(language, { day: 'numeric', month: 'short', ...year }).format(date)
}

const DAY_MS = 86_400_000

const STEPS = [
  { unit: 'day', ms: DAY_MS },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const

function agoOf(date: Date, language: Language, justNow: string): string {
  const ms = date.getTime() - Date.now()
  const step = STEPS.find((one) => Math.abs(ms) >= one.ms)
  if (step === undefined) return justNow
  return RELATIVE_TIMES[language].format(Math.round(ms / step.ms), step.unit)
}
