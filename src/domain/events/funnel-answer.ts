/** The people of one group who reached one step, as they were counted. */
export type FunnelCell = {
  /** Counts from 0. */
  readonly step: number
  /** The place of the group, counted from 1; 0 for all groups that are not shown, null for everybody. */
  readonly group: number | null
  readonly key: readonly unknown[] | null
  readonly users: number
  /** The median of the time from the first step, in seconds. */
  readonly seconds: number
  /** How many groups there are. */
  readonly groups: number
}

/** The people of a group at one step. `seconds` is null at the first step, and where nobody came. */
export type ReachedStep = { readonly users: number; readonly seconds: number | null }

export type FunnelAnswer = {
  readonly all: readonly ReachedStep[]
  readonly groups: readonly { readonly key: readonly unknown[]; readonly steps: readonly ReachedStep[] }[]
  /** All groups that are not shown, as one; null when there are none. */
  readonly rest: { readonly groups: number; readonly steps: readonly ReachedStep[] } | null
}

/** Puts the counted cells of a funnel in the order of groups and steps. */
export function arrangeFunnel(cells: readonly FunnelCell[], stepCount: number): FunnelAnswer {
  const byGroup = Map.groupBy(cells, ({ group }) => group)
  const stepsOf = (group: number | null): readonly ReachedStep[] => {
    const own = new Map((byGroup.get(group) ?? []).map((cell) => [cell.step, cell]))
    return Array.from({ length: stepCount }, (_, step) => {
      const { users = 0, seconds = null } = own.get(step) ?? {}
      return { users, seconds: step === 0 || users === 0 ? null : seconds }
    })
  }
  const keys = new Map(
    cells.flatMap(({ group, key }) => (group === null || key === null ? [] : [[group, key]])),
  )
  const shown = [...keys].toSorted(([a], [b]) => a - b)
  const groups = Math.max(0, ...cells.map((cell) => cell.groups)) - shown.length
  return {
    all: stepsOf(null),
    groups: shown.map(([group, key]) => ({ key, steps: stepsOf(group) })),
    rest: byGroup.has(0) ? { groups, steps: stepsOf(0) } : null,
  }
}
