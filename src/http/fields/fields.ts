import { isDeepStrictEqual } from 'node:util'
import { type Fault, fault } from '../../domain/fault.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import type { FieldRow } from '../../rules/fields.ts'
import { PUSH_LIMITS } from '../../rules/push.ts'
import { type FieldValue, readField } from './field.ts'

/** The use of one field in one kind of body. `refusal` ends the sentence that refuses the field. */
export type FieldRule = FieldRow & {
  readonly use: 'required' | 'optional' | 'ignored' | 'refused'
  readonly refusal?: string
  /** The rules of each value of an object whose keys the caller chooses. */
  readonly entries?: FieldRules
}

/** The rules of one kind of body. They are made once, when the process starts. */
export type FieldRules = {
  readonly rows: readonly FieldRule[]
  readonly bySpelling: ReadonlyMap<string, FieldRule>
}

/** The fields of a body. A refused field is not among the values, but it is among `seen`. */
export type ReadFields = {
  readonly values: ReadonlyMap<string, FieldValue>
  readonly seen: ReadonlySet<string>
  readonly faults: readonly Fault[]
  readonly warnings: readonly Warning[]
  /** The names that no rule knows, as they came. */
  readonly unknown: readonly string[]
}

export function fieldRules(rows: readonly FieldRule[]): FieldRules {
  const spellings = rows.flatMap((row) =>
    [row.name, ...(row.aliases ?? [])].map((name) => [name, row] as const),
  )
  return { rows, bySpelling: new Map(spellings) }
}

/**
 * Reads a body by its rules. Every fault is kept, so that a caller can mend them all at once. An unknown field gives a
 * warning (decisions §2). `null` is the same as absent. `prefix` is the path of an object inside a body.
 */
export function readFields(
  { bySpelling }: FieldRules,
  body: Iterable<readonly [string, unknown]>,
  prefix = '',
): ReadFields {
  const values = new Map<string, FieldValue>()
  const seen = new Set<string>()
  const faults: Fault[] = []
  const warnings: Warning[] = []
  const unknown: string[] = []
  for (const [spelling, value] of body) {
    if (value === null || value === undefined) continue
    const path = prefix + spelling
    const rule = bySpelling.get(spelling)
    if (rule === undefined) unknown.push(spelling)
    if (rule === undefined || rule.use === 'ignored') {
      if (warnings.length < PUSH_LIMITS.warningsMax) warnings.push(ignored(rule, path))
      continue
    }
    seen.add(rule.name)
    if (rule.use === 'refused') {
      faults.push(fault('field_conflict', path, { detail: rule.refusal ?? '' }))
      continue
    }
    const read = readField(rule.shape, { path, value })
    if (!read.ok) faults.push(...read.rejection.faults)
    else if (isOther(values.get(rule.name), read.value)) faults.push(givenTwice(path))
    else values.set(rule.name, read.value)
  }
  return { values, seen, faults, warnings, unknown }
}

/** A fault for every required field that the body does not have. */
export function missingFaults({ rows }: FieldRules, { seen }: ReadFields, prefix = ''): readonly Fault[] {
  return rows
    .filter(({ use, name }) => use === 'required' && !seen.has(name))
    .map(({ name }) => fault('field_missing', prefix + name))
}

function ignored(rule: FieldRule | undefined, path: string): Warning {
  const name = path.slice(0, PUSH_LIMITS.warningFieldCharsMax).toWellFormed()
  return warning(rule === undefined ? 'unknown_field' : 'unused_field', name)
}

/** A body may have one field in two spellings if the values are equal. */
function isOther(known: FieldValue | undefined, value: FieldValue): boolean {
  return known !== undefined && !isDeepStrictEqual(known, value)
}

function givenTwice(path: string): Fault {
  return fault('field_conflict', path, {
    detail: 'the body has this field in two spellings with different values',
  })
}
