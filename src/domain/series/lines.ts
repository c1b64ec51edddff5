import { SERIES_METRICS, type SeriesMetric } from '../../rules/series.ts'

/** The count of a stored metric in a span, by the span's place; of one part, when the series is divided. */
export type SpanCount = {
  readonly metric: string
  readonly place: number
  readonly part: string | null
  readonly count: bigint
}

/** One line of a chart: a number for each span. */
export type SeriesLine = {
  readonly metric: SeriesMetric
  readonly part: string | null
  readonly counts: readonly bigint[]
  /** Null where numbers of spans do not add up. */
  readonly total: bigint | null
  readonly isEstimated: boolean
}

export type CountedSpans = {
  readonly spans: number
  readonly counts: readonly SpanCount[]
  /** Parts that have a line even if nothing happened; a series that is not divided has the one part null. */
  readonly parts: readonly (string | null)[]
}

/** The lines of a metric whose numbers add up. */
export function flowLines(
  metric: SeriesMetric,
  { spans, counts, parts }: CountedSpans,
): readonly SeriesLine[] {
  return byPart(metric, { counts, parts }).map(([part, own]) => {
    const numbers = sumPlaces(own, spans)
    const total = numbers.reduce((sum, count) => sum + count, 0n)
    return { metric, part, counts: numbers, total, isEstimated: false }
  })
}

/**
 * The lines of a level: the level at the end of a span is the present one, less all changes since. `counts` has the
 * changes after the last span in the place after it.
 */
export function levelLines(
  metric: SeriesMetric,
  { spans, counts, parts, present }: CountedSpans & { readonly present: readonly SpanCount[] },
): readonly SeriesLine[] {
  return byPart(metric, {
    counts: [...counts, ...present.map((row) => ({ ...row, place: spans + 1 }))],
    parts,
  }).map(([part, own]) => {
    const numbers = sumPlaces(own, spans + 2)
    let level = numbers[spans + 1] ?? 0n
    const levels: bigint[] = []
    for (let place = spans; place > 0; place -= 1) {
      level -= numbers[place] ?? 0n
      levels.unshift(level)
    }
    return { metric, part, counts: levels, total: null, isEstimated: false }
  })
}

function byPart(
  metric: SeriesMetric,
  { counts, parts }: Pick<CountedSpans, 'counts' | 'parts'>,
): readonly (readonly [string | null, readonly SpanCount[]])[] {
  const { stored }: { readonly stored: readonly string[] } = SERIES_METRICS[metric]
  const own = counts.filter((row) => stored.includes(row.metric))
  const found = Map.groupBy(own, ({ part }) => part)
  return [...new Set([...parts, ...found.keys()])].map((part) => [part, found.get(part) ?? []])
}

function sumPlaces(counts: readonly SpanCount[], places: number): readonly bigint[] {
  const sums = Array.from({ length: places }, () => 0n)
  for (const { place, count } of counts) sums[place] = (sums[place] ?? 0n) + count
  return sums
}

/** The largest lines, in the order of their size; lines of equal size in the order of their parts. */
export function largestLines(lines: readonly SeriesLine[], max: number): readonly SeriesLine[] {
  const size = ({ total, counts }: SeriesLine): bigint => total ?? counts.at(-1) ?? 0n
  return lines
    .toSorted((a, b) => {
      const [left, right] = [size(a), size(b)]
      if (left !== right) return left < right ? 1 : -1
      return (a.part ?? '') < (b.part ?? '') ? -1 : 1
    })
    .slice(0, max)
}
