import { SEGMENT_OPERATORS } from '../../rules/segments.ts'
import { unreachable } from '../unreachable.ts'
import { readDate } from '../values/calendar.ts'
import {
  listAt,
  namesOf,
  numberAt,
  numericAt,
  type Scalar,
  scalarAt,
  textAt,
  wordAt,
} from '../values/checked.ts'
import type { JsonObject } from '../values/json.ts'

/** A comparison of one value. A value of another type than the wanted one never matches. */
export type Comparison =
  | { readonly kind: 'presence'; readonly is: 'exists' | 'missing' }
  | { readonly kind: 'equality'; readonly is: 'eq' | 'ne'; readonly value: Scalar }
  | { readonly kind: 'choice'; readonly values: readonly Scalar[] }
  | { readonly kind: 'order'; readonly is: Order; readonly value: number | bigint }
  | { readonly kind: 'text'; readonly is: 'contains' | 'starts_with'; readonly value: string }
  /** The date is kept as it was written. */
  | { readonly kind: 'date'; readonly is: 'before' | 'after'; readonly date: string }
  | { readonly kind: 'recency'; readonly days: number }

type Order = 'gt' | 'gte' | 'lt' | 'lte'

/** The comparison of a condition whose shape was checked: its `is` and its `value`. */
export function comparisonOf(condition: JsonObject): Comparison {
  const is = wordAt(condition, 'is', OPERATORS)
  switch (is) {
    case 'exists':
    case 'missing':
      return { kind: 'presence', is }
    case 'eq':
    case 'ne':
      return { kind: 'equality', is, value: scalarAt(condition, 'value') }
    case 'in':
      return {
        kind: 'choice',
        values: listAt(condition, 'value').map((value) => scalarAt({ value }, 'value')),
      }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return { kind: 'order', is, value: numericAt(condition, 'value') }
    case 'contains':
    case 'starts_with':
      return { kind: 'text', is, value: textAt(condition, 'value') }
    case 'before':
    case 'after':
      return { kind: 'date', is, date: textAt(condition, 'value') }
    case 'within_days':
      return { kind: 'recency', days: numberAt(condition, 'value') }
    default:
      return unreachable(is)
  }
}

const OPERATORS = namesOf(SEGMENT_OPERATORS)

/** The written form of a comparison; `comparisonOf` gives the comparison back. */
export function encodeComparison(comparison: Comparison): JsonObject {
  switch (comparison.kind) {
    case 'presence':
      return { is: comparison.is }
    case 'choice':
      return { is: 'in', value: comparison.values }
    case 'date':
      return { is: comparison.is, value: comparison.date }
    case 'recency':
      return { is: 'within_days', value: comparison.days }
    case 'equality':
    case 'order':
    case 'text':
      return { is: comparison.is, value: comparison.value }
    default:
      return unreachable(comparison)
  }
}

/** Whether an attribute compares as asked. An attribute must be the object's own: inherited keys are ignored. */
export function compareAttribute(
  { attribute, comparison }: { readonly attribute: string; readonly comparison: Comparison },
  attributes: JsonObject,
  now: number,
): boolean {
  return compare(comparison, Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined, now)
}

/** `value` is JSON, or undefined where there is none. */
export function compare(comparison: Comparison, value: unknown, now: number): boolean {
  const isPresent = value !== undefined && value !== null
  switch (comparison.kind) {
    case 'presence':
      return isPresent === (comparison.is === 'exists')
    case 'equality':
      return isPresent && isEqual(value, comparison.value) === (comparison.is === 'eq')
    case 'choice':
      return comparison.values.some((wanted) => isEqual(value, wanted))
    case 'order':
      return isNumber(value) && isOrdered(value, comparison)
    case 'text':
      return typeof value === 'string' && hasPart(value, comparison)
    case 'date':
      return isDated(instantIn(value), comparison)
    case 'recency':
      return isRecent(instantIn(value), { days: comparison.days, now })
    default:
      return unreachable(comparison)
  }
}

/**
 * The instant that a text stands for, in milliseconds; null when it is no date. One without an offset is meant in UTC.
 * The database has a reader of its own for the same texts, `instant_in` (migration 0016).
 */
export function instantIn(value: unknown): number | null {
  const date = typeof value === 'string' ? readDate(value) : null
  return date === null ? null : date.wallMs - date.offsetMs
}

const DAY_MS = 24 * 60 * 60 * 1000

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

/** A number and a bigint can be the same number, which `===` would not see. */
function isEqual(value: unknown, wanted: Scalar): boolean {
  if (isNumber(value) && isNumber(wanted)) return !(value < wanted) && !(value > wanted)
  return value === wanted
}

function isOrdered(
  value: number | bigint,
  { is, value: wanted }: { readonly is: Order; readonly value: number | bigint },
): boolean {
  switch (is) {
    case 'gt':
      return value > wanted
    case 'gte':
      return value >= wanted
    case 'lt':
      return value < wanted
    case 'lte':
      return value <= wanted
    default:
      return unreachable(is)
  }
}

function hasPart(
  text: string,
  { is, value }: { readonly is: 'contains' | 'starts_with'; readonly value: string },
): boolean {
  return is === 'contains' ? text.includes(value) : text.startsWith(value)
}

function isDated(
  at: number | null,
  { is, date }: { readonly is: 'before' | 'after'; readonly date: string },
): boolean {
  const wanted = instantIn(date)
  if (at === null || wanted === null) return false
  return is === 'before' ? at < wanted : at > wanted
}

function isRecent(
  at: number | null,
  { days, now }: { readonly days: number; readonly now: number },
): boolean {
  return at !== null && at > now - days * DAY_MS && at <= now
}
