import { EVENT_MEASURES } from '../../rules/event-queries.ts'
import type { LiteralBinds } from '../bind.ts'
import type { EventQuestion } from '../events/measuring.ts'
import { areAboutPeople } from '../events/parts.ts'
import { type ColdRows, columnsOfTime, filesSql, rowsSql } from './cold-rows.ts'
import { conditionSql, NUMBER, numberColumns, readNumberSql } from './file-values.ts'
import { hotNumber, hotTag } from './hot-csv.ts'
import { type KeyColumns, keyColumns, partColumns } from './key-columns.ts'
import { joinPeopleSql } from './people-csv.ts'
import { spanOfSql } from './span-sql.ts'
import { plainTagSql } from './tags.ts'

/** A question that is asked of files. */
export type FileQuestion = Omit<EventQuestion, 'cuts'>

/** The columns of a row of the question: its span, its group, its person and its number. */
export function hotMeasureColumns(question: FileQuestion, binds: LiteralBinds): readonly string[] {
  const edges = question.edges.map((edge) => new Date(edge))
  return [
    `width_bucket(e.event_at, ${binds.add(edges)}::timestamptz[])`,
    ...question.parts.map((part) => hotTag(part, binds)),
    'e.profile_id',
    EVENT_MEASURES[question.measure].needsNumber ? hotNumber(question.attribute, binds) : 'null',
  ]
}

export type ReadEvents = {
  /** A select of the events: `span`, the columns of the keys, `profile_id`, and a number in `number` or `other`. */
  readonly events: string
  /** A select of the columns of the keys. It may have groups without people of the question. */
  readonly groups: string
  readonly keyed: readonly KeyColumns[]
}

/** Some of the spans of a question, from the first to the last; they count from 1 on. */
export type SpanRun = { readonly first: number; readonly last: number }

export type Reading = {
  /** Only the events of these spans are read. */
  readonly spans?: SpanRun
  /** `people`: only the span and the person of each event are read, and `keyed` is empty. */
  readonly shows?: 'groups' | 'people'
  /** `files`: none of these events is in the CSV, which is not read. */
  readonly of?: 'files'
}

/** The events that a question is about, of files and rows, as selects. */
export type ColdReader = (reading?: Reading) => ReadEvents

/** Null if only rows can answer. */
export function coldReader(question: FileQuestion, cold: ColdRows): ColdReader | null {
  const columns = columnsOfTime(cold, question)
  const isKnown = conditionsOf(question, columns) !== null && keysOf(question, columns) !== null
  return isKnown ? (reading = {}) => readSql(question, cold, reading) : null
}

function readSql(question: FileQuestion, cold: ColdRows, reading: Reading): ReadEvents {
  const { where, edges, eventName, measure, people } = question
  const { spans = { first: 1, last: edges.length - 1 }, shows = 'groups' } = reading
  const parts = shows === 'groups' ? question.parts : []
  // A statement can name only columns that one of its files has.
  const time = { fromAt: edges[spans.first - 1] ?? 0, toAt: edges[spans.last] ?? 0 }
  const known = columnsOfTime(cold, time)
  const keyed = keysOf({ parts }, known) ?? []
  const keys = keyed.flatMap(({ raw }) => raw.map(({ sql, name }) => `${sql} as ${name}`))
  const shown = [`${spanOfSql(edges)} as span`, ...keys, 'profile_id', ...numbersSql(question, known)]
  const columns = EVENT_MEASURES[measure].needsNumber || where.length > 0 ? 'united' : partColumns(parts)
  const names = eventName === null ? null : [eventName]
  const wanted = { names, ...time, columns, conditions: conditionsOf(question, known) ?? [] } as const
  // Groups of events of other people may have a value that no group can have.
  const needsPeople = people !== null || areAboutPeople(parts)
  const join = cold.people === null || !needsPeople ? '' : joinPeopleSql(cold.people, question)
  const csv = reading.of === 'files' ? null : cold.csv
  const hot = hotSql(csv, { keyed, spans, parts: question.parts.length })
  const files = filesSql(cold, { ...wanted, join })
  return {
    events: `select ${shown.join(', ')} ${files} ${hot.events}`,
    groups: `select ${keys.join(', ')} ${files} ${hot.groups}`,
    keyed,
  }
}

function conditionsOf(
  { where }: Pick<FileQuestion, 'where'>,
  columns: ReadonlySet<string>,
): readonly string[] | null {
  const conditions = where.map((condition) => conditionSql(condition, columns))
  return areKnown(conditions) ? conditions : null
}

function keysOf(
  { parts }: Pick<FileQuestion, 'parts'>,
  columns: ReadonlySet<string>,
): readonly KeyColumns[] | null {
  const keyed = parts.map((part, place) => keyColumns(part, { parts, columns, name: keyName(place) }))
  return areKnown(keyed) ? keyed : null
}

/** The spans that have events in the CSV, as a statement; null without a CSV. */
export function hotSpansSql(
  { csv }: Pick<ColdRows, 'csv'>,
  { parts }: Pick<FileQuestion, 'parts'>,
): string | null {
  return csv === null ? null : `select distinct span ${rowsSql(csv, hotColumns(parts.length))}`
}

/**
 * The two columns of the measured number: `number` is the ltv or a typed column, `other` is the number of an event with its attributes in
 * JSON. Both are null if no number is measured.
 */
function numbersSql({ measure, attribute }: FileQuestion, columns: ReadonlySet<string>): readonly string[] {
  const none = `null::${NUMBER}`
  if (!EVENT_MEASURES[measure].needsNumber) return [`${none} as number`, `${none} as other`]
  if (attribute === null) return ['ltv as number', `${none} as other`]
  const { column, json } = numberColumns(attribute, columns)
  return [`${column} as number`, `${json} as other`]
}

function areKnown<Known>(parts: readonly (Known | null)[]): parts is readonly Known[] {
  return parts.every((part) => part !== null)
}

type HotEvents = {
  readonly keyed: readonly KeyColumns[]
  readonly spans: SpanRun
  /** How many parts the question has: the CSV has a column for each. */
  readonly parts: number
}

/** The events of rows, and their groups, to be added to those of files. */
function hotSql(
  csv: string | null,
  { keyed, spans, parts }: HotEvents,
): Pick<ReadEvents, 'events' | 'groups'> {
  if (csv === null) return { events: '', groups: '' }
  const raw = keyed.flatMap((one) => one.raw.map(({ isTag }) => (isTag ? plainTagSql(one.name) : 'null')))
  const rows = `${rowsSql(csv, hotColumns(parts))} where span between ${spans.first} and ${spans.last}`
  const shown = ['span', ...raw, 'profile_id', 'null', readNumberSql('number')]
  return {
    events: `union all select ${shown.join(', ')} ${rows}`,
    groups: `union all select ${raw.join(', ')} ${rows}`,
  }
}

/** The columns of the CSV, as `hotMeasureColumns` writes them. */
function hotColumns(parts: number): Readonly<Record<string, string>> {
  return {
    span: 'INTEGER',
    ...Object.fromEntries(Array.from({ length: parts }, (_, place) => [keyName(place), 'VARCHAR'])),
    profile_id: 'BIGINT',
    number: 'VARCHAR',
  }
}

function keyName(place: number): string {
  return `k${place}`
}
