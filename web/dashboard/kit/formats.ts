import type { Language } from './texts.tsx'

/** Making a format takes about a millisecond, and a list of people would make a hundred, so each is made once. */
const DATES = new Map<string, Intl.DateTimeFormat>()

export function dateFormat(language: Language, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language} ${JSON.stringify(options)}`
  const known = DATES.get(key)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat(language, options)
  DATES.set(key, made)
  return made
}

export const RELATIVE_TIMES: Readonly<Record<Language, Intl.RelativeTimeFormat>> = {
  en: new Intl.RelativeTimeFormat('en', { numeric: 'auto' }),
  de: new Intl.RelativeTimeFormat('de', { numeric: 'auto' }),
}
