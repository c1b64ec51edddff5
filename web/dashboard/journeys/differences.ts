import type { Json } from '../../client/json.ts'
import { type Draft, fieldsOf, idOf, kindOf, listOf } from './draft.ts'

/** A difference between two versions. `step` is null for what belongs to the journey as a whole. */
export type Difference = {
  readonly step: string | null
  /** The path of the value within its step, or the key of the journey. */
  readonly field: string
  readonly change: 'added' | 'removed' | 'changed' | 'first'
  readonly before: string
  readonly after: string
}

const SETTINGS = ['trigger', 'goal', 'exit', 'reentry', 'quiet_hours'] as const

/** The changes from one version to another, in the order of the newer one; steps are known by their names. */
export function differencesOf(before: Draft, after: Draft): readonly Difference[] {
  const settings = SETTINGS.flatMap((key) =>
    compare(null, leavesOf(before[key], key), leavesOf(after[key], key)),
  )
  const old = new Map(before.steps.map((step) => [idOf(step), step]))
  const ids = new Set(after.steps.map(idOf))
  const steps = after.steps.flatMap((step): readonly Difference[] => {
    const id = idOf(step)
    const former = old.get(id)
    if (former === undefined) return [{ ...NOTHING, step: id, change: 'added', after: kindOf(step) }]
    return compare(id, leavesOf(former, ''), leavesOf(step, ''))
  })
  const removed = before.steps
    .filter((step) => !ids.has(idOf(step)))
    .map((step): Difference => ({ ...NOTHING, step: idOf(step), change: 'removed', before: kindOf(step) }))
  return [...settings, ...firstStep(before, after), ...steps, ...removed]
}

const NOTHING = { field: '', before: '', after: '' } as const

/** The first step is the one that the trigger leads to; no value says so but the order. */
function firstStep(before: Draft, after: Draft): readonly Difference[] {
  const [old, now] = [before.steps[0], after.steps[0]].map((step) => idOf(step ?? {}))
  if (old === now) return []
  return [{ step: null, field: 'first', change: 'first', before: old ?? '', after: now ?? '' }]
}

function compare(
  step: string | null,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly Difference[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths]
    .filter((path) => before.get(path) !== after.get(path))
    .map((field) => ({
      step,
      field,
      change: 'changed',
      before: before.get(field) ?? '',
      after: after.get(field) ?? '',
    }))
}

/** Each value of a document by its path. */
function leavesOf(value: Json | undefined, path: string): ReadonlyMap<string, string> {
  if (value === null || value === undefined || value === '') return new Map()
  if (typeof value !== 'object') return new Map([[path, String(value)]])
  const isList = Array.isArray(value)
  const inner = isList
    ? listOf(value).map((part, index) => [String(index), part] as const)
    : Object.entries(fieldsOf(value))
  return new Map(
    inner.flatMap(([key, part]) => {
      const place = isList ? `${path}[${key}]` : [path, key].filter((one) => one !== '').join('.')
      return [...leavesOf(part, place)]
    }),
  )
}
