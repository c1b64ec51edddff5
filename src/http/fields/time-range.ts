import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { readDate } from '../../domain/values/calendar.ts'
import { wallClock } from '../../domain/values/wall-clock.ts'

/** From the first instant up to, and not including, the second. */
export type TimeRange = { readonly fromAt: number; readonly toAt: number }

export type RangeQuery = { readonly from?: string; readonly to?: string }

type RangeSettings = {
  readonly timeZone: string
  /** The range whose ends replace ends that are not given. */
  readonly usual: TimeRange
}

/**
 * A stretch of time as people write it: days, which count whole, or times; in the zone of the brand unless they carry
 * an offset of their own.
 */
export function parseTimeRange(
  { from, to }: RangeQuery,
  { timeZone, usual }: RangeSettings,
): Result<TimeRange> {
  const fromAt = from === undefined ? accept(usual.fromAt) : parseEdge('from', from, timeZone)
  if (!fromAt.ok) return fromAt
  const toAt = to === undefined ? accept(usual.toAt) : parseEdge('to', to, timeZone)
  if (!toAt.ok) return toAt
  if (fromAt.value >= toAt.value) {
    return reject(fault('field_conflict', 'to', { detail: 'it must be later than from' }))
  }
  return accept({ fromAt: fromAt.value, toAt: toAt.value })
}

const DAY_MS = 86_400_000

function parseEdge(field: 'from' | 'to', text: string, timeZone: string): Result<number> {
  const date = readDate(text)
  if (date === null) {
    const expected = 'a date (yyyy-MM-dd), or a time (yyyy-MM-dd HH:mm:ss, or ISO 8601)'
    return reject(fault('field_type', field, { expected }))
  }
  if (date.kind === 'exact') return accept(date.wallMs - date.offsetMs)
  const isWholeDay = date.kind === 'day' && field === 'to'
  return accept(wallClock(timeZone)(isWholeDay ? date.wallMs + DAY_MS : date.wallMs))
}
