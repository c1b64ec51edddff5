import { SEGMENT_LIMITS, SEGMENT_OPERATORS, type SegmentOperator } from '../../rules/segments.ts'
import { unreachable } from '../unreachable.ts'
import type { JsonObject } from '../values/json.ts'
import { flawOf, isLonger } from '../values/text.ts'
import { type Comparison, instantIn, type Scalar } from './comparison.ts'
import { type Reading, refuseNode } from './place.ts'

/** Which operators go with a value, and what it holds; anything goes with an attribute. */
export type Comparable = {
  readonly holds: 'text' | 'instant' | 'number' | 'anything'
  readonly operators: readonly SegmentOperator[]
}

/** `is` and `value` of a condition, or null and a fault. */
export function readComparison(
  reading: Reading,
  path: string,
  whole: JsonObject,
  of: Comparable = ANYTHING,
): Comparison | null {
  const is = of.operators.find((name) => name === whole['is'])
  if (is === undefined)
    return refuseNode(reading, `${path}.is`, `it must be one of ${of.operators.join(', ')}`)
  const place = { reading, path: `${path}.value`, value: whole['value'] }
  switch (is) {
    case 'exists':
    case 'missing':
      if (reading.isJudged && whole['value'] !== undefined) return refuse(place, `${is} takes no value`)
      return { kind: 'presence', is }
    case 'eq':
    case 'ne': {
      const value = readScalar(place, of)
      return value === null ? null : { kind: 'equality', is, value }
    }
    case 'in': {
      const values = readScalars(place, of)
      return values === null ? null : { kind: 'choice', values }
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const value = isNumber(place.value) ? place.value : refuse(place, 'it must be a number')
      return value === null ? null : { kind: 'order', is, value }
    }
    case 'contains':
    case 'starts_with': {
      const value = readText(place)
      return value === null ? null : { kind: 'text', is, value }
    }
    case 'before':
    case 'after': {
      const { value } = place
      if (typeof value === 'string' && instantIn(value) !== null) return { kind: 'date', is, date: value }
      return refuse(place, 'it must be a date: 2026-12-31, 2026-12-31 23:59:59 or 2026-12-31T23:59:59Z')
    }
    case 'within_days': {
      const days = readDays(place)
      return days === null ? null : { kind: 'recency', days }
    }
    default:
      return unreachable(is)
  }
}

/** A whole number of days back from now. */
export function readDays(place: ComparedPlace): number | null {
  const { daysMax } = SEGMENT_LIMITS
  const days = Number.isInteger(place.value) ? Number(place.value) : 0
  const isFine = days >= 1 && (days <= daysMax || !place.reading.isJudged)
  return isFine ? days : refuse(place, `it must be a number of days, 1 to ${daysMax}`)
}

const OPERATORS = Object.keys(SEGMENT_OPERATORS).filter(
  (name): name is SegmentOperator => name in SEGMENT_OPERATORS,
)
const ANYTHING: Comparable = { holds: 'anything', operators: OPERATORS }

/** What a value is compared with, and where that stands. */
export type ComparedPlace = { readonly reading: Reading; readonly path: string; readonly value: unknown }

function refuse({ reading, path }: ComparedPlace, detail: string): null {
  return refuseNode(reading, path, detail)
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))
}

function readScalar(place: ComparedPlace, { holds }: Comparable): Scalar | null {
  const { value } = place
  if (holds === 'number') return isNumber(value) ? value : refuse(place, 'it must be a number')
  if (holds !== 'text' && (isNumber(value) || typeof value === 'boolean')) return value
  if (typeof value === 'string') return readText(place)
  return refuse(
    place,
    holds === 'text' ? 'it must be a string' : 'it must be a string, a number or a boolean',
  )
}

function readScalars(place: ComparedPlace, of: Comparable): readonly Scalar[] | null {
  const { value, path, reading } = place
  const max = reading.isJudged ? SEGMENT_LIMITS.valuesMax : Number.POSITIVE_INFINITY
  if (!Array.isArray(value) || value.length === 0 || value.length > max) {
    return refuse(place, `it must be a list of 1 to ${SEGMENT_LIMITS.valuesMax} values`)
  }
  const scalars = value.map((item: unknown, at) =>
    readScalar({ ...place, path: `${path}[${at}]`, value: item }, of),
  )
  return scalars.filter((scalar) => scalar !== null)
}

function readText(place: ComparedPlace): string | null {
  const { value, reading } = place
  const isText = typeof value === 'string'
  if (isText && !reading.isJudged) return value
  if (!isText || isLonger(value, SEGMENT_LIMITS.valueCharsMax)) {
    return refuse(place, `it must be a string of at most ${SEGMENT_LIMITS.valueCharsMax} characters`)
  }
  const flaw = flawOf(value)
  return flaw === null ? value : refuse(place, flaw)
}
