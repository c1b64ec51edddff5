/** A number of one group in one span; a group or a span that is null stands for all of them. */
export type MeasuredCell = {
  /** The place of the group in their order, counted from 1; 0 is all groups after the last one that is shown. */
  readonly group: number | null
  /** The values that the group has in common; null with `group` null or 0. */
  readonly key: readonly unknown[] | null
  /** The place of the span, counted from 1. With a comparison, the spans before come first. */
  readonly span: number | null
  readonly isBefore: boolean
  /** Null when there was nothing to measure. */
  readonly value: number | null
  /** How many groups there are in the present period. */
  readonly groups: number
}

/** The numbers of one group: over the whole time, and span by span. */
export type MeasuredLine = {
  readonly value: number | null
  readonly values: readonly (number | null)[]
  /** The same for the period before; null when nobody asked. */
  readonly before: Pick<MeasuredLine, 'value' | 'values'> | null
}

export type EventAnswer = {
  readonly total: MeasuredLine
  readonly groups: readonly (MeasuredLine & { readonly key: readonly unknown[] })[]
  /** All groups that are not shown, as one; null when there are none. */
  readonly rest: (MeasuredLine & { readonly groups: number }) | null
}

type AnswerShape = {
  readonly spans: number
  readonly hasBefore: boolean
  /** The number where there is nothing: 0 for counts and sums, null for means. */
  readonly none: 0 | null
}

/** Puts measured cells in the order of groups and spans. */
export function arrangeCells(cells: readonly MeasuredCell[], shape: AnswerShape): EventAnswer {
  const byGroup = Map.groupBy(cells, ({ group }) => group)
  const shown = [...byGroup].flatMap(([group, own]) => {
    const key = own.find((cell) => cell.key !== null)?.key ?? null
    return group === null || group === 0 || key === null ? [] : [{ group, key, own }]
  })
  const others = byGroup.get(0)
  const groups = Math.max(0, (cells[0]?.groups ?? 0) - shown.length)
  return {
    total: lineOf(byGroup.get(null) ?? [], shape),
    groups: shown
      .toSorted((a, b) => a.group - b.group)
      .map(({ key, own }) => ({ ...lineOf(own, shape), key })),
    rest: others === undefined ? null : { ...lineOf(others, shape), groups },
  }
}

function lineOf(cells: readonly MeasuredCell[], { spans, hasBefore, none }: AnswerShape): MeasuredLine {
  const partOf = (isBefore: boolean, first: number) => {
    const own = new Map(cells.filter((cell) => cell.isBefore === isBefore).map((cell) => [cell.span, cell]))
    const valueAt = (span: number | null): number | null => own.get(span)?.value ?? none
    return {
      value: valueAt(null),
      values: Array.from({ length: spans }, (_, place) => valueAt(first + place)),
    }
  }
  const now = partOf(false, hasBefore ? spans + 1 : 1)
  return { ...now, before: hasBefore ? partOf(true, 1) : null }
}
