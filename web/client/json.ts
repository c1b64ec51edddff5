/** Any JSON value. */
export type Json =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }

/** JSON that keeps every integer exact: one beyond 2^53 is a `bigint` here and its own digits on the wire. */
export function parseJson(text: string): unknown {
  return LONG_DIGITS.test(text) ? JSON.parse(text, keepExact) : JSON.parse(text)
}

export function encodeJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member,
  )
}

const LONG_DIGITS = /\d{16}/
const INTEGER = /^-?\d+$/

function keepExact(_: string, value: unknown, { source }: { readonly source?: string }): unknown {
  const isExact = typeof value !== 'number' || Number.isSafeInteger(value)
  return isExact || source === undefined || !INTEGER.test(source) ? value : BigInt(source)
}
