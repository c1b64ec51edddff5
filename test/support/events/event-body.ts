import assert from 'node:assert/strict'
import type { Fault } from '../../../src/domain/fault.ts'
import { type EventEntries, type EventSettings, parseEventBody } from '../../../src/http/events/body.ts'

/** A noon on which all tests of event bodies happen. */
export const NOON = Date.parse('2026-11-15T12:00:00Z')
export const SETTINGS: EventSettings = { now: NOON, timeZone: 'UTC', isMerging: false }
export const GOOD = { userID: 'u1', event_name: 'order placed', attributes: { total: 5 } }

export function parseNv(nv: unknown, settings: EventSettings = SETTINGS): EventEntries {
  const batch = parseEventBody({ nv }, settings)
  assert.ok(batch.ok)
  return batch.value
}

export function assertGood(entry: object): void {
  assert.deepEqual(parseNv([entry]).refused, [])
}

export function assertBad(entry: unknown, expected: Pick<Fault, 'code' | 'field'>): void {
  const { entries, refused } = parseNv([entry])
  assert.equal(entries.length, 0)
  const { code, field } = refused[0]?.fault ?? {}
  assert.deepEqual({ code, field }, expected)
}

export function withAttributes(attributes: object): object {
  return { ...GOOD, attributes }
}

export function copies(count: number): readonly object[] {
  return Array.from({ length: count }, () => ({ ...GOOD }))
}
