import { INT64_MAX } from '../rules/fields.ts'

/** The id of a row as it stands in an address or a cursor; null for what no row can have. */
export function parseRowId(text: string): bigint | null {
  if (!DIGITS.test(text)) return null
  const id = BigInt(text)
  return id <= INT64_MAX ? id : null
}

const DIGITS = /^\d{1,19}$/
