import { LTV_DEFAULT } from '../../rules/events.ts'
import type { Identifiers } from '../people/identifiers.ts'
import type { JsonObject } from '../values/json.ts'
import type { AttributeShape } from './attributes.ts'

/** When an event happened. */
export type EventTime = {
  readonly at: number
  /**
   * The last moment at which it may have happened. Null for an event whose time Beckon gave: it came after everything
   * that was there then, also where the clock of another machine was a little ahead.
   */
  readonly lastAt: number | null
}

/** One event that passed every check but its type locks. */
export type EventEntry = EventTime & {
  /** Its position in the call, for the reply. */
  readonly index: number
  readonly who: Identifiers
  readonly name: string
  readonly ltv: string
  readonly attributes: JsonObject
  readonly shape: AttributeShape
  readonly context: JsonObject | null
  /** An upper bound of its size as JSON. */
  readonly bytes: number
  /** The caller's own id, which makes a repeated entry of one source count once. */
  readonly eventId: string | null
}

/**
 * The source of an entry: its browser, or '' for the brand's own servers. A publishable key is in the hands of everybody,
 * so an id that one browser uses must not be taken for anybody else.
 */
export function eventSourceOf({ visitor = '' }: Identifiers): string {
  return visitor
}

/** The ltv of an entry as an exact decimal; null when it is not one. A number may stand for the text. */
export function readLtv(value: unknown): string | null {
  if (value === undefined || value === null) return LTV_DEFAULT
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value
  return typeof text === 'string' && DECIMAL.test(text) ? text : null
}

/** The digits suffice for any price in any currency, and a sum of many still fits its column. */
const DECIMAL = /^-?\d{1,18}(\.\d{1,9})?$/

/**
 * The time of an event whose caller told it. The contract writes times to the second (spec §2.2), so a time on the full
 * second stands for the whole second: a signup at 12:00:00 is not before a profile that
 * was made at 12:00:00.4. A time with a fraction of a second is the moment itself.
 */
export function toldTime(at: number): EventTime {
  return { at, lastAt: at % SECOND_MS === 0 ? at + SECOND_MS - 1 : at }
}

const SECOND_MS = 1000
