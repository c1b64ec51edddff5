import { type Fault, fault } from '../../domain/fault.ts'
import type { Timing } from '../../domain/push/schedule.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import type { FieldValue } from '../fields/field.ts'
import type { ReadFields } from '../fields/fields.ts'
import { numberIn, textIn } from '../fields/value.ts'

/** The time at which the notification is to be sent. A zone without a schedule has no effect. */
export function timingOf(values: ReadonlyMap<string, FieldValue>): Timing {
  const seconds = numberIn(values, 'time')
  if (seconds !== null) return { kind: 'after', delayMs: seconds * 1000 }
  const date = textIn(values, 'schedule_date')
  const clock = textIn(values, 'schedule_time')
  if (date === null || clock === null) return { kind: 'now' }
  const wall = `${date}T${clock}`
  const zone = textIn(values, 'time_zone') ?? 'UTC'
  return zone === 'subscriber' ? { kind: 'subscriber', wall } : { kind: 'at', wall, zone }
}

/** A schedule needs both its date and its time, and excludes a delay (decisions §3). */
export function readTimingFaults({ seen, values }: ReadFields): readonly Fault[] {
  const hasDate = seen.has('schedule_date')
  const hasClock = seen.has('schedule_time')
  const faults: Fault[] = []
  if (seen.has('time') && (hasDate || hasClock)) {
    faults.push(
      fault('field_conflict', 'time', { detail: 'send either time or schedule_date and schedule_time' }),
    )
  }
  if (hasDate && !hasClock) faults.push(fault('field_missing', 'schedule_time'))
  if (hasClock && !hasDate) faults.push(fault('field_missing', 'schedule_date'))
  if (textIn(values, 'time_zone') === 'subscriber' && !hasDate && !hasClock) {
    const detail = 'subscriber needs schedule_date and schedule_time'
    faults.push(fault('field_conflict', 'time_zone', { detail }))
  }
  return faults
}

export function timingWarnings({ seen }: ReadFields): readonly Warning[] {
  if (!seen.has('time_zone') || seen.has('schedule_date')) return []
  return [warning('no_effect', 'time_zone', { detail: 'it is the zone of schedule_date and schedule_time' })]
}
