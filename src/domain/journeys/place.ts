import { JOURNEY_LIMITS } from '../../rules/journeys.ts'
import { type Fault, fault } from '../fault.ts'
import type { Reading } from '../segments/place.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { flawOf, isLonger } from '../values/text.ts'

/**
 * What is gathered on the way through a document, as through a filter: `nodes` is there for those that are read on the
 * way, and what we stored ourselves is not judged again.
 */
export type JourneyReading = Reading

/** A value and where it stands: `steps[2].wait_for.event`. */
export type Place = { readonly path: string; readonly value: unknown }

/** Notes a bad place, up to a bound. */
export function refusePlace(reading: JourneyReading, path: string, detail: string): null {
  return refuseWith(reading, [fault('journey_invalid', path, { detail })])
}

export function refuseWith(reading: JourneyReading, faults: readonly Fault[]): null {
  const room = JOURNEY_LIMITS.faultsMax - reading.faults.length
  reading.faults.push(...faults.slice(0, Math.max(0, room)))
  return null
}

/** An object that has none but these keys; null and a fault for anything else. */
export function readObject(
  reading: JourneyReading,
  { path, value }: Place,
  keys: readonly string[],
): JsonObject | null {
  if (!isJsonObject(value)) return refusePlace(reading, path, `it must be an object with ${keys.join(', ')}`)
  const stray = Object.keys(value).find((key) => !keys.includes(key))
  if (stray === undefined || !reading.isJudged) return value
  return refusePlace(
    reading,
    `${path}.${stray.slice(0, 50)}`,
    `there is no such key; there is ${keys.join(', ')}`,
  )
}

export function readShort(reading: JourneyReading, { path, value }: Place, charsMax: number): string | null {
  const isText = typeof value === 'string'
  if (isText && !reading.isJudged) return value
  if (!isText || value === '' || isLonger(value, charsMax)) {
    return refusePlace(reading, path, `it must be a string of 1 to ${charsMax} characters`)
  }
  const flaw = flawOf(value)
  return flaw === null ? value : refusePlace(reading, path, flaw)
}

/** One of a few words. */
export function readWord<Word extends string>(
  reading: JourneyReading,
  { path, value }: Place,
  words: readonly Word[],
): Word | null {
  return (
    words.find((word) => word === value) ??
    refusePlace(reading, path, `it must be one of ${words.join(', ')}`)
  )
}
