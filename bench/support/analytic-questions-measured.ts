import type { MeasuredCell } from '../../src/domain/events/query-answer.ts'
import { querySpans, spansBefore } from '../../src/domain/events/query-spans.ts'
import { askMeasure } from '../../src/intake/events/measure.ts'
import type { EventQuerySpan } from '../../src/rules/event-queries.ts'
import { duckInstant } from '../../src/store/event-files/duck-sql.ts'
import type { EventQuestion } from '../../src/store/events/measuring.ts'
import type { AnalyticQuestion, AskedTime } from './analytic-question.ts'
import type { AnswerRow } from './same-answer.ts'

const DAY_MS = 86_400_000

type Change = Partial<Omit<EventQuestion, 'brandId' | 'cuts'>>

export type MeasureRow = {
  readonly name: string
  readonly isCommon?: boolean
  readonly every?: EventQuerySpan
  readonly zone?: string
  /** Asks about so many days in place of the whole time. */
  readonly daysBack?: number
  /** Also about as many days before these. */
  readonly isCompared?: boolean
  readonly ask: Change
  readonly sql: (parts: PlainParts) => string
}

type PlainParts = {
  /** The events of the asked time, as `from … where …`. */
  readonly events: string
  /** The instant between the period before and the present one. */
  readonly presentAt: string
}

/** A question of `events/query`, which is about all weeks by day in UTC where its row says nothing else. */
export function measuredQuestion(time: AskedTime, row: MeasureRow): AnalyticQuestion {
  const { name, isCommon = false, every = 'day', zone = 'UTC', isCompared = false, daysBack, sql } = row
  const fromAt = daysBack === undefined ? time.fromAt : Math.max(time.fromAt, time.toAt - daysBack * DAY_MS)
  const present = querySpans({ every, zone, fromAt, toAt: time.toAt })
  const before = isCompared ? spansBefore(zone, present).slice(0, -1) : []
  const edges = [...before, ...present]
  const [first = 0, last = 0] = [edges[0], edges.at(-1)]
  const asked = {
    measure: 'count',
    attribute: null,
    eventName: null,
    where: [],
    people: null,
    percentile: 0.9,
    parts: [],
    groupsMax: 10,
    spansBefore: before.length,
    now: time.toAt,
    ...row.ask,
    edges,
    fromAt: first,
    toAt: last,
  } as const
  return {
    name,
    isCommon,
    ask: async (deps, { brandId, signal }) => {
      const cells = await askMeasure(deps, { question: { ...asked, brandId }, signal, tell: null })
      return cells.filter((cell) => isCompare(asked, cell)).map((cell) => rowOf(asked, cell))
    },
    sql: sql({
      events: `from events where event_at >= ${duckInstant(first)} and event_at < ${duckInstant(last)}`,
      presentAt: duckInstant(present[0] ?? first),
    }),
  }
}

type Asked = Pick<EventQuestion, 'measure' | 'parts' | 'edges' | 'spansBefore'>

/** Numbers that are the sum of others are left out: a plain statement would not count events again for them. */
function isCompare({ measure, parts }: Asked, { group, span }: MeasuredCell): boolean {
  const isSum = measure === 'count' || measure === 'sum'
  return !isSum || (span !== null && (group !== null || parts.length === 0))
}

/** The beginning of the span, the values of the group, whether it is of the period before, and the number. */
function rowOf({ parts, edges, spansBefore: before }: Asked, cell: MeasuredCell): AnswerRow {
  const { group, key, span, isBefore, value } = cell
  const shown = parts.map((_, place) => {
    if (group === null) return null
    return group === 0 ? '(rest)' : (key?.[place] ?? '(none)')
  })
  return [span === null ? null : edges[span - 1], ...shown, ...(before > 0 ? [isBefore] : []), value]
}
