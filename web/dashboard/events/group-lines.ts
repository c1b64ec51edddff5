import { LINE_STYLES } from '../kit/plot-legend.tsx'
import type { Names } from './part-columns.tsx'
import type { EventAnswer } from './replies.ts'

/** A line of a chart: a group, or the rest. */
export type GroupLine = {
  /** Null: the rest. */
  readonly names: Names | null
  readonly value: number | null
  readonly values: readonly (number | null)[]
}

export type GroupLines = {
  readonly lines: readonly GroupLine[]
  /** The groups that are in the rest. */
  readonly others: number
  /** Whether groups are left that are in no line. */
  readonly areLeft: boolean
}

/** One of the looks of lines is left to the rest. */
const GROUP_LINES_MAX = LINE_STYLES.length - 1

/**
 * The largest groups, and the rest of all others where there is such a number: events and sums of groups can be added up. People,
 * means and percentiles cannot, so the groups between the largest and the rest of the answer have no line, and neither has the rest.
 */
export function groupLines({ measure, groups, rest }: EventAnswer): GroupLines {
  const drawn = groups.slice(0, GROUP_LINES_MAX).map(({ by, ...line }) => ({ ...line, names: by }))
  const beyond = groups.slice(GROUP_LINES_MAX)
  const others = beyond.length + (rest?.groups ?? 0)
  if (others === 0) return { lines: drawn, others, areLeft: false }
  if (beyond.length > 0 && measure !== 'count' && measure !== 'sum')
    return { lines: drawn, others: 0, areLeft: true }
  const added = [...beyond, ...(rest === null ? [] : [rest])].reduce<Numbers>(plus, {
    value: null,
    values: [],
  })
  return { lines: [...drawn, { names: null, ...added }], others, areLeft: false }
}

type Numbers = Pick<GroupLine, 'value' | 'values'>

function plus(one: Numbers, other: Numbers): Numbers {
  return {
    value: sum(one.value, other.value),
    values: other.values.map((value, at) => sum(one.values[at] ?? null, value)),
  }
}

/** Nothing and a number are that number, so that the only line of a rest keeps its gaps. */
function sum(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other
  return one + other
}
