import { type Fault, fault } from '../../domain/fault.ts'
import { warning } from '../../domain/warning.ts'
import type { EventNotices } from '../../intake/events/intake.ts'
import { ATTRIBUTE_TYPES, EVENT_ATTRIBUTES } from '../../rules/attributes.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'
import type { MistypedValue } from '../../store/events/intake.ts'
import type { EntryWarning, RefusedEntry } from '../fields/entry-list.ts'
import { type Reply, refuse } from '../reply.ts'

/** The result of a call: how many entries were processed, and which were refused. */
export type EntryReport = {
  readonly processed: number
  readonly refused: readonly Pick<RefusedEntry, 'index' | 'fault'>[]
  readonly warnings: readonly EntryWarning[]
}

/** A warning that tells which type the attribute is locked to. */
type LockWarning = EntryWarning & { readonly locked_type: string }

/**
 * The reply to a call of entries (decisions §4): three fields and no more when all went well. A call of which nothing
 * was good is refused in the contract's own words.
 */
export function replyEntries({ processed, refused, warnings }: EntryReport): Reply {
  const unprocessed = refused.map(({ index, fault: { field, code, message } }) => ({
    index,
    field,
    code,
    message,
  }))
  const notices = warningFields(warnings)
  if (processed === 0) {
    const faults = [fault('parameter_missing'), ...refused.slice(0, REASONS_MAX).map(reasonOf)] as const
    return refuse({ faults }, { fields: { unprocessed, ...notices } })
  }
  const isWhole = unprocessed.length === 0
  const body = {
    message: isWhole ? 'success' : 'partial',
    processed,
    status_code: '200',
    ...(!isWhole && { unprocessed }),
    ...notices,
  }
  return { status: 200, body, isExact: true }
}

/** The contract fixes the message of a call without a good entry, so the list of errors says what was wrong. */
const REASONS_MAX = 10

function reasonOf({ index, fault: { field, ...rest } }: EntryReport['refused'][number]): Fault {
  const entry = `nv[${index}]`
  if (field === null || field.startsWith(entry)) return { ...rest, field: field ?? entry }
  return { ...rest, field: `${entry}.${field}` }
}

/** The warnings about entries that were processed and are not stored as they were sent. */
export function noticeWarnings({ mistyped, duplicates, overruled }: EventNotices): readonly EntryWarning[] {
  return [
    ...duplicates.map(duplicateWarning),
    ...overruled.map((one) => overruledWarning(one)),
    ...mistyped.map((one) => lockWarning(one)),
  ]
}

/** The same for a page. It says less, because everybody has its key: no type that the brand locked. */
export function pageWarnings({ mistyped, duplicates }: EventNotices): readonly EntryWarning[] {
  return [
    ...duplicates.map(duplicateWarning),
    ...mistyped.map(({ index, attribute }) => {
      return { index, ...warning('mistyped', `${EVENT_ATTRIBUTES.field}.${attribute}`) }
    }),
  ]
}

/** The event of an unknown person would have started a journey. */
export function unheardWarning({ index }: EventNotices['newcomers'][number]): EntryWarning {
  return { index, ...warning('unknown_user', 'userID') }
}

function duplicateWarning({ index }: EventNotices['duplicates'][number]): EntryWarning {
  return { index, ...warning('duplicate', 'event_id') }
}

/** Tells the owner that browsers had sent another type, so that a page can be mended. */
export function overruledWarning(
  { index, attribute, locked, before }: EventNotices['overruled'][number],
  field = EVENT_ATTRIBUTES.field,
): EntryWarning {
  const words = { before: ATTRIBUTE_TYPES[before].label, locked: ATTRIBUTE_TYPES[locked].label }
  return { index, ...warning('type_overruled', `${field}.${attribute}`, words) }
}

/** Says which type the attribute is locked to, so that the caller can mend the value or choose another name. */
export function lockWarning(
  { index, attribute, locked }: Omit<MistypedValue, 'call'>,
  field = EVENT_ATTRIBUTES.field,
): LockWarning {
  const { label } = ATTRIBUTE_TYPES[locked]
  const notice = warning('type_locked', `${field}.${attribute}`, { locked: label })
  return { index, ...notice, locked_type: label }
}

function warningFields(warnings: readonly EntryWarning[]): object {
  if (warnings.length === 0) return {}
  const { warningsMax } = EVENT_LIMITS
  if (warnings.length <= warningsMax) return { warnings }
  return { warnings: warnings.slice(0, warningsMax), warnings_omitted: warnings.length - warningsMax }
}
