import type { ReplyOf } from '../kit/call.ts'

type PathRow = NonNullable<ReplyOf<'GET /api/v1/events/paths'>['paths']>[number]

/** The people who did the same events up to one of them; without a name they did nothing more. */
export type PathCell = {
  readonly name: string | null
  /** The events before it, and itself. */
  readonly events: readonly string[]
  readonly users: number
  /** How many of the shown paths go through it; it is as high as all of them. */
  readonly rows: number
}

/** The cells that begin in each row, from the first step on: paths that begin alike share their first cells. */
export function pathRows(paths: readonly PathRow[], depth: number): readonly (readonly PathCell[])[] {
  return rowsBelow(paths, [], depth)
}

function rowsBelow(
  paths: readonly PathRow[],
  before: readonly string[],
  depth: number,
): readonly (readonly PathCell[])[] {
  const place = before.length
  if (place === depth) return paths.map(() => [])
  const byNext = Map.groupBy(paths, ({ events }) => events[place] ?? null)
  const next = [...byNext].map(([name, own]) => ({ name, own, users: sumOf(own) }))
  return next
    .toSorted((one, other) => other.users - one.users || endOf(one) - endOf(other))
    .flatMap(({ name, own, users }) => {
      if (name === null) return [[{ name, events: before, users, rows: own.length }]]
      const events = [...before, name]
      const [first = [], ...others] = rowsBelow(own, events, depth)
      return [[{ name, events, users, rows: own.length }, ...first], ...others]
    })
}

/** Of as many people, those who did nothing more come last. */
function endOf({ name }: Pick<PathCell, 'name'>): number {
  return name === null ? 1 : 0
}

function sumOf(paths: readonly PathRow[]): number {
  return paths.reduce((sum, { users }) => sum + users, 0)
}
