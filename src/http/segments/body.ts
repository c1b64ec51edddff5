import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { parseFilter } from '../../domain/segments/filter.ts'
import type { WrittenFilter } from '../../domain/segments/segment.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import type { Warning } from '../../domain/warning.ts'
import { SEGMENT_FIELDS } from '../../rules/segments.ts'
import { type FieldRules, fieldRules, missingFaults, readFields } from '../fields/fields.ts'
import { int64In, isSetIn, textIn } from '../fields/value.ts'

/** The fields of a body about a segment; null where one is absent. */
type SegmentBody = {
  readonly id: bigint | null
  readonly name: string | null
  readonly filter: WrittenFilter | null
  /** Of a preview: whether an estimate will not do. */
  readonly isExact: boolean
  readonly warnings: readonly Warning[]
}

const { name: NAME, filter: FILTER, exact: EXACT, segment_id: ID } = SEGMENT_FIELDS

export const SEGMENT_RULES = {
  create: fieldRules([
    { ...NAME, use: 'required' },
    { ...FILTER, use: 'required' },
    { ...ID, use: 'optional' },
  ]),
  change: fieldRules([
    { ...NAME, use: 'optional' },
    { ...FILTER, use: 'optional' },
  ]),
  preview: fieldRules([
    { ...FILTER, use: 'required' },
    { ...EXACT, use: 'optional' },
  ]),
  members: fieldRules([{ ...FILTER, use: 'required' }]),
} as const satisfies Record<string, FieldRules>

/** A body about a segment, or everything that is wrong with it, in the filter by the path of the bad node. */
export function parseSegmentBody(rules: FieldRules, body: unknown): Result<SegmentBody> {
  if (!isJsonObject(body)) return reject(fault('not_an_object'))
  const fields = readFields(rules, Object.entries(body))
  const filter = fields.values.has('filter') ? parseFilter(body['filter'], 'filter') : accept(null)
  const [first, ...others] = [
    ...fields.faults,
    ...missingFaults(rules, fields),
    ...(filter.ok ? [] : filter.rejection.faults),
  ]
  if (first !== undefined) return reject(first, ...others)
  return accept({
    id: int64In(fields.values, 'segment_id'),
    name: textIn(fields.values, 'name'),
    filter: filter.ok ? filter.value : null,
    isExact: isSetIn(fields.values, 'exact'),
    warnings: fields.warnings,
  })
}
