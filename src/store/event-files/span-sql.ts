import { duckInstant } from './duck-sql.ts'

/**
 * The number of the span, from 1 on, in which `event_at` is, by the edges of all spans. Spans of the same length that follow each
 * other are reckoned together: only a change of clocks makes a day or a week longer or shorter.
 */
export function spanOfSql(edges: readonly number[]): string {
  const runs = runsOf(edges)
  const cases = runs.map(({ startsAt, endsAt, lengthMs, before }, place) => {
    const span = `((epoch_us(event_at) - ${micros(startsAt)}) // ${micros(lengthMs)} + ${before + 1})::integer`
    return place === runs.length - 1 ? `else ${span}` : `when event_at < ${duckInstant(endsAt)} then ${span}`
  })
  return cases.length === 1 ? (cases[0] ?? '').replace('else ', '') : `case ${cases.join(' ')} end`
}

type SpanRun = {
  readonly startsAt: number
  readonly endsAt: number
  readonly lengthMs: number
  /** How many spans are before it. */
  readonly before: number
}

function runsOf(edges: readonly number[]): readonly SpanRun[] {
  const runs: SpanRun[] = []
  for (const [place, startsAt] of edges.slice(0, -1).entries()) {
    const endsAt = edges[place + 1] ?? startsAt
    const last = runs.at(-1)
    if (last?.lengthMs === endsAt - startsAt) runs[runs.length - 1] = { ...last, endsAt }
    else runs.push({ startsAt, endsAt, lengthMs: endsAt - startsAt, before: place })
  }
  return runs
}

function micros(ms: number): bigint {
  return BigInt(ms) * 1000n
}
