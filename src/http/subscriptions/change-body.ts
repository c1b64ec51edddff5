import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import type { DeviceFacts, SubscriptionChange } from '../../domain/subscriptions/subscription.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import type { Warning } from '../../domain/warning.ts'
import { SUBSCRIPTION_FIELDS, type SubscriptionFieldRow } from '../../rules/subscriptions.ts'
import { fieldRules, type ReadFields, readFields } from '../fields/fields.ts'
import { objectIn, textIn } from '../fields/value.ts'
import { readTagChange, type TagReading } from './tag-change.ts'

export type ChangeBody = { readonly change: SubscriptionChange; readonly warnings: readonly Warning[] }

/** The body that changes a subscription. Here null is not the same as absent: it takes a value away. */
export function parseSubscriptionChange(body: unknown): Result<ChangeBody> {
  if (!isJsonObject(body)) return reject(fault('not_an_object'))
  const fields = readFields(CHANGE_RULES, Object.entries(withTagObject(body)))
  const tags = readTags(fields)
  const [first, ...others] = [...fields.faults, ...tags.faults]
  if (first !== undefined) return reject(first, ...others)
  const change = {
    ...userChange(body, fields),
    ...(tags.change === null ? {} : { tags: tags.change }),
    facts: factChanges(body, fields),
  }
  return accept({ change, warnings: [...fields.warnings, ...tags.warnings] })
}

/** A plain list of tags is short for replacing them all. */
function withTagObject(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Array.isArray(body['tags']) ? { ...body, tags: { set: body['tags'] } } : body
}

const ROWS: readonly SubscriptionFieldRow[] = SUBSCRIPTION_FIELDS

const CHANGE_RULES = fieldRules([
  ...ROWS.filter(({ name, isFact }) => name === 'user_id' || isFact === true).map(
    (row) => ({ ...row, use: 'optional' }) as const,
  ),
  {
    name: 'tags',
    shape: { type: 'object' },
    use: 'optional',
    description: 'Tags to set, or to add and remove.',
  },
])

function readTags({ values }: ReadFields): TagReading {
  const tags = objectIn(values, 'tags')
  return tags === null ? { change: null, faults: [], warnings: [] } : readTagChange(tags)
}

function userChange(body: object, { values }: ReadFields): { readonly userId?: string | null } {
  return 'user_id' in body ? { userId: textIn(values, 'user_id') } : {}
}

const FACTS: readonly (readonly [string, keyof DeviceFacts])[] = [
  ['time_zone', 'timeZone'],
  ['language', 'language'],
  ['browser', 'browser'],
  ['app_version', 'appVersion'],
]

function factChanges(body: object, { values }: ReadFields): Partial<DeviceFacts> {
  const given = FACTS.filter(([wire]) => wire in body)
  return Object.fromEntries(given.map(([wire, name]) => [name, textIn(values, wire)]))
}
