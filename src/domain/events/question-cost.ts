import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
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

/** The number of events of a read, how many of them are in files, and how many of these have no rows. */
export type ReadCount = { readonly count: number; readonly inFiles: number; readonly alone: number }

type Counted = { readonly counts: readonly ReadCount[]; readonly secondsMax: number }

/** `counts` has the number of events of each read. */
export function costOf(reads: readonly EventRead[], { counts, secondsMax }: Counted): QuestionCost {
  const known = reads.map((_, place) => counts[place] ?? NOTHING)
  const firstCount = known[0]?.count ?? 0
  const costs = reads.map((read, place) => readCost(read, { of: known[place] ?? NOTHING, firstCount }))
  const seconds = Math.ceil(secondsOf(costs, { hasAlone: known.some(({ alone }) => alone > 0) }))
  return { events: sumOf(costs, 'events'), seconds, secondsMax, isAboveLimit: seconds > secondsMax }
}

const NOTHING: ReadCount = { count: 0, inFiles: 0, alone: 0 }

/** The seconds of a read: those of its files, those of all its other events, and those of all its events if they are rows. */
type ReadCost = {
  readonly events: number
  readonly inFiles: number
  readonly others: number
  readonly asRows: number
}

function readCost(
  { perFirstMax, perSecond, needsRows }: EventRead,
  { of: { count, inFiles, alone }, firstCount }: { readonly of: ReadCount; readonly firstCount: number },
): ReadCost {
  const events = perFirstMax === null ? count : Math.min(count, firstCount * perFirstMax)
  const share = count === 0 ? 0 : events / count
  const asRows = events / perSecond
  // A question that only rows can answer brings the events without rows.
  if (needsRows) return { events, inFiles: 0, others: asRows + (alone * share) / BROUGHT_PER_SECOND, asRows }
  const filed = inFiles * share
  const others = (events - filed) / perSecond
  return { events, inFiles: filed / EVENT_QUERY_LIMITS.filedPerSecond, others, asRows }
}

/** More than this is refused. */
const BROUGHT_PER_SECOND = EVENT_FILE_LIMITS.thawedMax / (EVENT_FILE_LIMITS.thawMsMax / 1_000)

/** Rows are asked when files have taken too long, but not if some of the files have the only copy of their events. */
function secondsOf(costs: readonly ReadCost[], { hasAlone }: { readonly hasAlone: boolean }): number {
  const filesMax = EVENT_FILE_LIMITS.questionMsMax / 1_000
  const inFiles = sumOf(costs, 'inFiles')
  if (inFiles > filesMax && !hasAlone) return filesMax + sumOf(costs, 'asRows')
  return inFiles + sumOf(costs, 'others')
}

function sumOf(costs: readonly ReadCost[], field: keyof ReadCost): number {
  return costs.reduce((sum, cost) => sum + cost[field], 0)
}
