import { LTV_DEFAULT } from '../../rules/events.ts'

/** The worth of an event as an exact decimal; null when it is not one. A number is accepted for the text. */
export function readLtv(value: unknown): string | null {
  if (value === undefined || value === null) return LTV_DEFAULT
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value
  return typeof text === 'string' && DECIMAL.test(text) ? text : null
}

/** Long enough for any price in any currency, short enough to add up for ever. */
const DECIMAL = /^-?\d{1,18}(\.\d{1,9})?$/
