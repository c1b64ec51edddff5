import { Type } from './schema.ts'

/** An instant as replies write it: ISO 8601 in UTC, to the millisecond. */
export function instantOf(at: number): string {
  return new Date(at).toISOString()
}

export function instantOrNull(at: number | null): string | null {
  return at === null ? null : instantOf(at)
}

/** A share between 0 and 1, to four places; null of nothing. */
export function shareOrNull({
  part,
  whole,
}: {
  readonly part: number
  readonly whole: number
}): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000
}

export const INSTANT = Type.String({ format: 'date-time' })

export const INSTANT_OR_NULL = Type.Union([INSTANT, Type.Null()])

export const TEXT_OR_NULL = Type.Union([Type.String(), Type.Null()])

/** Spread it into the reply of a list. */
export const NEXT_CURSOR = { next_cursor: TEXT_OR_NULL } as const
