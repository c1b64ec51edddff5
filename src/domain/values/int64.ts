import { INT64_MAX, INT64_MIN } from '../../rules/fields.ts'

/** An int64 as callers write one: a whole number, or its digits in a string. Null for anything else. */
export function parseInt64(value: unknown): bigint | null {
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value)
  if (!isWhole && !(typeof value === 'string' && DIGITS.test(value))) return null
  const number = BigInt(String(value))
  return number >= INT64_MIN && number <= INT64_MAX ? number : null
}

const DIGITS = /^-?\d{1,19}$/
