import { EVENT_READ_LIMITS } from '../../../src/rules/events.ts'
import { encodeJson } from '../../client/json.ts'
import { useSearchWords } from '../kit/address.tsx'
import type { Input } from '../kit/call.ts'
import { useBrandZone } from '../kit/zone.ts'
import { type AskedTime, daysBetween, timeFields, useAskedTime } from './asked-time.ts'
import { type NumberRange, numberIn } from './number-word.ts'
import { partOf, partsIn, TOP } from './parts.ts'
import { dayIn } from './range.ts'

type Query = NonNullable<Input<'GET /api/v1/events/retention'>['query']>

/** The fields that the list of people behind a number has too. */
export type RetentionWalk = Pick<Query, 'start_event' | 'return_event' | 'from' | 'to'> & {
  readonly unit: 'day' | 'week'
  readonly periods: number
}

/** A retention as the address has it. */
export type AskedRetention = {
  readonly time: AskedTime
  readonly unit: 'day' | 'week'
  /** How many periods the reader can choose. */
  readonly choice: NumberRange
  readonly start: string
  readonly back: string
  readonly parts: readonly string[]
  readonly walk: RetentionWalk
  readonly query: Query
}

/** Another retention has other numbers, so the list behind one of them closes. */
export const NO_CELL = { cohort: '', period: '' } as const

export function useRetention(): AskedRetention {
  const [words] = useSearchWords()
  const zone = useBrandZone()
  const time = useAskedTime(zone)
  const unit = words['unit'] === 'day' ? 'day' : 'week'
  const choice = {
    usual: usualPeriods(unit, { first: time.from.slice(0, 10), today: dayIn(zone, Date.now()) }),
    min: 1,
    max: EVENT_READ_LIMITS.retentionPeriodsMax,
  }
  const { start = '', back = '' } = words
  const parts = partsIn(words['by'] ?? '')
  const walk = {
    unit,
    periods: numberIn(words['periods'], choice),
    ...timeFields(time),
    ...(start === '' ? {} : { start_event: start }),
    ...(back === '' ? {} : { return_event: back }),
  } as const
  const by =
    parts.length === 0 ? {} : { by: encodeJson(parts.flatMap(partOf)), top: numberIn(words['top'], TOP) }
  return { time, unit, choice, start, back, parts, walk, query: { ...walk, ...by } }
}

type Days = { readonly first: string; readonly today: string }

/** As many periods as a reader can look at, and no more than have begun since the first day; there are always two to compare. */
function usualPeriods(unit: 'day' | 'week', { first, today }: Days): number {
  const { days, most } = USUAL[unit]
  // A week begins up to six days before the first day.
  const begun = Math.floor((daysBetween(first, today) + days - 1) / days) + 1
  return Math.min(most, Math.max(2, begun))
}

/** The days of a period, and the most periods that stand side by side unasked. */
const USUAL = { day: { days: 1, most: 14 }, week: { days: 7, most: 8 } } as const
