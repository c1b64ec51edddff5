/** People who started or came back, as they were counted: of one cohort, or of one group in all cohorts. */
export type RetentionCell = {
  /** The first day of the cohort's period; null in a cell of a group. */
  readonly cohort: string | null
  /** Counts from 0: the period in which the people started. Null in a cell of those of a group who started. */
  readonly period: number | null
  /** The last period that has begun for these people, in a cell of those of a group who started; else null. */
  readonly begun: number | null
  /** The place of the group, counted from 1; 0 for all groups that are not shown, null for everybody. */
  readonly group: number | null
  readonly key: readonly unknown[] | null
  readonly users: bigint
  /** How many groups there are. */
  readonly groups: number
}

/** The people of a group, whenever they started. */
export type RetentionLine = {
  readonly users: bigint
  /** For each period, how many of them started so long ago that it has begun. */
  readonly started: readonly bigint[]
  /** For each period, how many of them came back; null if it has begun for nobody. */
  readonly returned: readonly (bigint | null)[]
}

export type RetentionGroups = {
  readonly groups: readonly { readonly key: readonly unknown[]; readonly line: RetentionLine }[]
  /** All groups that are not shown, as one; null when there are none. */
  readonly rest: { readonly groups: number; readonly line: RetentionLine } | null
}

/** Puts the cells of groups in the order of groups and periods. */
export function arrangeRetention(cells: readonly RetentionCell[], periods: number): RetentionGroups {
  const byGroup = Map.groupBy(cells, ({ group }) => group)
  const keys = new Map(
    cells.flatMap(({ group, key }) => (group === null || key === null ? [] : [[group, key]])),
  )
  const shown = [...keys].toSorted(([one], [other]) => one - other)
  const hidden = Math.max(0, ...cells.map(({ groups }) => groups)) - shown.length
  const lineOfGroup = (group: number): RetentionLine => lineOf(byGroup.get(group) ?? [], periods)
  return {
    groups: shown.map(([group, key]) => ({ key, line: lineOfGroup(group) })),
    rest: byGroup.has(0) ? { groups: hidden, line: lineOfGroup(0) } : null,
  }
}

function lineOf(cells: readonly RetentionCell[], periods: number): RetentionLine {
  const starts = cells.filter(({ begun }) => begun !== null)
  const returns = new Map(cells.map(({ period, users }) => [period, users]))
  const started = Array.from({ length: periods }, (_, period) =>
    sumOf(starts.filter(({ begun }) => begun !== null && begun >= period)),
  )
  const users = sumOf(starts)
  const returned = started.map((count, period) => {
    if (period === 0) return users
    return count === 0n ? null : (returns.get(period) ?? 0n)
  })
  return { users, started, returned }
}

function sumOf(cells: readonly RetentionCell[]): bigint {
  return cells.reduce((sum, { users }) => sum + users, 0n)
}
