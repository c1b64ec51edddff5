import { type Fault, fault } from '../../domain/fault.ts'
import type { TagChange } from '../../domain/subscriptions/subscription.ts'
import type { Warning } from '../../domain/warning.ts'
import { TAG_CHANGE_FIELDS } from '../../rules/subscriptions.ts'
import { fieldRules, type ReadFields, readFields } from '../fields/fields.ts'
import { listIn } from '../fields/value.ts'

export type TagReading = {
  readonly change: TagChange | null
  readonly faults: readonly Fault[]
  readonly warnings: readonly Warning[]
}

const TAG_RULES = fieldRules(TAG_CHANGE_FIELDS.map((row) => ({ ...row, use: 'optional' })))

/** The members of a `tags` object: either `set`, or `add` and `remove`. */
export function readTagChange(tags: Iterable<readonly [string, unknown]>): TagReading {
  const fields = readFields(TAG_RULES, tags, 'tags.')
  const { faults, warnings, seen } = fields
  if (seen.has('set') && seen.size > 1) {
    const detail = 'send either set, or add and remove'
    return { change: null, faults: [...faults, fault('field_conflict', 'tags.set', { detail })], warnings }
  }
  return { change: tagChange(fields), faults, warnings }
}

function tagChange({ values }: ReadFields): TagChange {
  const set = listIn(values, 'set')
  if (set !== null) return { kind: 'set', tags: set }
  return { kind: 'edit', add: listIn(values, 'add') ?? [], remove: listIn(values, 'remove') ?? [] }
}
