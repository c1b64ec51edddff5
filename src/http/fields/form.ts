import { accept, type Result } from '../../domain/result.ts'
import { languageTagOf } from '../../domain/values/language-tag.ts'
import { timeZoneOf } from '../../domain/values/time-zone.ts'
import { type Field, invalid, wrongType } from './field-type.ts'

/** A day that exists, as `YYYY-MM-DD`. */
export function readDateField(field: Field): Result<string> {
  const { value } = field
  if (typeof value !== 'string' || !DATE.test(value)) return wrongType(field, 'a date, as YYYY-MM-DD')
  const [year = 0, month = 0, day = 0] = value.split('-').map(Number)
  const date = Temporal.PlainDate.from({ year, month: Math.max(1, month), day: Math.max(1, day) })
  // Temporal turns a day past the end of its month into the last day, so a date that changes does not exist.
  return date.toString() === value ? accept(value) : invalid(field, 'this day does not exist')
}

/** A time of day, given as `HH:mm` or `HH:mm:ss`, always with seconds inside. */
export function readClock(field: Field): Result<string> {
  const { value } = field
  if (typeof value !== 'string' || !CLOCK.test(value)) {
    return wrongType(field, 'a time of day, as HH:mm or HH:mm:ss')
  }
  return accept(value.length === 'HH:mm'.length ? `${value}:00` : value)
}

/** A zone in the spelling `Temporal` takes, or the word `subscriber`. A plain number of hours may be a number. */
export function readZone(shape: { readonly allowsSubscriber: boolean }, field: Field): Result<string> {
  const { value } = field
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return wrongType(field, 'a time zone')
  if (shape.allowsSubscriber && text.toLowerCase() === 'subscriber') return accept('subscriber')
  const zone = timeZoneOf(text)
  if (zone !== null) return accept(zone)
  return invalid(
    field,
    'it is not a time zone; use a name such as Europe/Paris, an offset such as +05:30, or the hours from UTC, at most 14',
  )
}

/** A language tag. */
export function readLanguage(field: Field): Result<string> {
  const { value } = field
  const tag = typeof value === 'string' ? languageTagOf(value) : null
  return tag === null ? wrongType(field, 'a language tag such as en or pt-BR') : accept(tag)
}

const DATE = /^\d{4}-\d{2}-\d{2}$/u
const CLOCK = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/u
