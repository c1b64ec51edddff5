import { EVENT_QUERY_LIMITS } from '../../rules/event-queries.ts'
import type { AttributeCondition } from '../segments/segment.ts'

/** Events that a question reads: all that have one of the names and happened in the time. */
export type EventRead = {
  /** Null for all names. */
  readonly names: readonly string[] | null
  readonly fromAt: number
  readonly toAt: number
  /** The most that are read for each event of the first read; null if all of them are read. */
  readonly perFirstMax: number | null
  /** How many of them are read in a second, if they are rows. */
  readonly perSecond: number
  /** Whether only rows can answer, also where there are files. */
  readonly needsRows: boolean
}

type TimeRange = { readonly fromAt: number; readonly toAt: number }

/** A question with groups reads its events once to find the largest groups, and once to measure them. */
export function readsOfQuestion(
  question: TimeRange & {
    readonly eventName: string | null
    readonly parts: readonly unknown[]
    readonly where: readonly AttributeCondition[]
  },
): readonly EventRead[] {
  const needsRows = question.where.some(({ comparison }) => DATE_KINDS.has(comparison.kind))
  const read = { ...readOf(question, question.eventName), needsRows }
  if (question.parts.length === 0) return [read]
  const grouped = { ...read, perSecond: EVENT_QUERY_LIMITS.groupedPerSecond }
  return [grouped, grouped]
}

/** Dates are read by a function of PostgreSQL. */
const DATE_KINDS: ReadonlySet<AttributeCondition['comparison']['kind']> = new Set(['date', 'recency'])

type FunnelReads = TimeRange & {
  readonly steps: readonly string[]
  readonly excluded: readonly string[]
  readonly withinMs: number
}

/** Each step reads the events of its name, and the later ones also those after the range. */
export function readsOfFunnel(query: FunnelReads): readonly EventRead[] {
  const { steps, excluded, withinMs } = query
  const [first = null, ...others] = steps
  const later = { ...query, toAt: query.toAt + withinMs }
  return [readOf(query, first), ...[...others, ...excluded].map((name) => readOf(later, name))]
}

type RetentionReads = TimeRange & {
  readonly startEvent: string | null
  readonly returnEvent: string | null
  readonly unit: 'day' | 'week'
  readonly periods: number
}

export function readsOfRetention(query: RetentionReads): readonly EventRead[] {
  const { startEvent, returnEvent, unit, periods } = query
  const lastMs = periods * (unit === 'week' ? 7 : 1) * DAY_MS
  return [readOf(query, startEvent), readOf({ ...query, toAt: query.toAt + lastMs }, returnEvent)]
}

type PathReads = TimeRange & {
  readonly startEvent: string
  readonly depth: number
  readonly withinMs: number
}

/** The next events of a person are looked up, and no more of them than a path has. */
export function readsOfPaths(query: PathReads): readonly EventRead[] {
  const { startEvent, depth, withinMs } = query
  const next = readOf({ ...query, toAt: query.toAt + withinMs }, null)
  return [readOf(query, startEvent), { ...next, perFirstMax: depth }]
}

function readOf({ fromAt, toAt }: TimeRange, name: string | null): EventRead {
  const perSecond = EVENT_QUERY_LIMITS.eventsPerSecond
  return {
    names: name === null ? null : [name],
    fromAt,
    toAt,
    perFirstMax: null,
    perSecond,
    needsRows: false,
  }
}

const DAY_MS = 86_400_000

/** The cost of a question before it runs. */
export type QuestionCost = {
  /** An event that is read twice counts twice. */
  readonly events: number
  readonly seconds: number
  readonly secondsMax: number
  readonly isAboveLimit: boolean
}

/** The number of events of a read, and how many of them are in files. */
export type ReadCount = { readonly count: number; readonly inFiles: number }

type Counted = { readonly counts: readonly ReadCount[]; readonly secondsMax: number }

/** `counts` has the number of events of each read. */
export function costOf(reads: readonly EventRead[], { counts, secondsMax }: Counted): QuestionCost {
  const first = counts[0]?.count ?? 0
  const read = reads.map((each, place) => {
    const { count, inFiles } = counts[place] ?? { count: 0, inFiles: 0 }
    const events = each.perFirstMax === null ? count : Math.min(count, first * each.perFirstMax)
    const filed = count === 0 || each.needsRows ? 0 : inFiles * (events / count)
    const seconds = filed / EVENT_QUERY_LIMITS.filedPerSecond + (events - filed) / each.perSecond
    return { events, seconds }
  })
  const events = read.reduce((sum, each) => sum + each.events, 0)
  const seconds = Math.ceil(read.reduce((sum, each) => sum + each.seconds, 0))
  return { events, seconds, secondsMax, isAboveLimit: seconds > secondsMax }
}
