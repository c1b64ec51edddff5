import { INT64_MAX, INT64_MIN } from '../rules/fields.ts'

/** An int64 as it stands in an address or a cursor; null for what is none. */
export function parseInt64(text: string): bigint | null {
  if (!DIGITS.test(text)) return null
  const value = BigInt(text)
  return value >= INT64_MIN && value <= INT64_MAX ? value : null
}

const DIGITS = /^-?\d{1,19}$/
