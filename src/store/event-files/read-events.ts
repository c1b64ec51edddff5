import { EVENT_MEASURES } from '../../rules/event-queries.ts'
import type { LiteralBinds } from '../bind.ts'
import type { EventQuestion } from '../events/measuring.ts'
import { areAboutPeople } from '../events/parts.ts'
import { type ColdRows, filesSql, rowsSql } from './cold-rows.ts'
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
  /** A select of the columns of the keys. It may have groups in which nobody is whom the question is about. */
  readonly groups: string
  readonly keyed: readonly KeyColumns[]
}

/** Some of the spans of a question, from the first to the last; they count from 1 on. */
export type SpanRange = { readonly first: number; readonly last: number }

type Reading = {
  /** Only the events of these spans are read. */
  readonly spans?: SpanRange
  /** `people`: only the span and the person of each event are read, and `keyed` is empty. */
  readonly shows?: 'groups' | 'people'
}

/** The events that a question is about, of files and rows, as selects. */
export type EventReader = (reading?: Reading) => ReadEvents

/** Null if only rows can answer. */
export function eventReader(question: FileQuestion, cold: ColdRows): EventReader | null {
  const known = cold.view.columns
  const conditions = question.where.map((condition) => conditionSql(condition, known))
  const keyed: readonly (KeyColumns | null)[] = question.parts.map((part, place) =>
    keyColumns(part, { parts: question.parts, columns: known, name: keyName(place) }),
  )
  if (!areKnown(conditions) || !areKnown(keyed)) return null
  return (reading = {}) => readSql(question, cold, { conditions, keyed, ...reading })
}

type ReadChoice = Reading & { readonly conditions: readonly string[]; readonly keyed: readonly KeyColumns[] }

function readSql(question: FileQuestion, cold: ColdRows, choice: ReadChoice): ReadEvents {
  const { where, edges, eventName, measure } = question
  const { conditions, spans = { first: 1, last: edges.length - 1 }, shows = 'groups' } = choice
  const [parts, keyed] = shows === 'groups' ? [question.parts, choice.keyed] : [[], []]
  const keys = keyed.flatMap(({ raw }) => raw.map(({ sql, name }) => `${sql} as ${name}`))
  const shown = [
    `${spanOfSql(edges)} as span`,
    ...keys,
    'profile_id',
    ...numbersSql(question, cold.view.columns),
  ]
  const columns = EVENT_MEASURES[measure].needsNumber || where.length > 0 ? 'united' : partColumns(parts)
  const names = eventName === null ? null : [eventName]
  const wanted = { names, ...timeOf(question, spans), columns, conditions } as const
  const join = cold.people === null ? '' : joinPeopleSql(cold.people, question)
  const joinOfGroups = areAboutPeople(parts) ? join : ''
  const joinOfEvents = question.people === null ? joinOfGroups : join
  const hot = hotSql(cold.csv, { keyed, spans, parts: question.parts.length })
  return {
    events: `select ${shown.join(', ')} ${filesSql(cold, { ...wanted, join: joinOfEvents })} ${hot.events}`,
    groups: `select ${keys.join(', ')} ${filesSql(cold, { ...wanted, join: joinOfGroups })} ${hot.groups}`,
    keyed,
  }
}

/** The time of these spans. The first and the last span of a question may begin before, or end after, the time that is asked for. */
function timeOf({ edges, fromAt, toAt }: FileQuestion, { first, last }: SpanRange) {
  return {
    fromAt: Math.max(fromAt, edges[first - 1] ?? fromAt),
    toAt: Math.min(toAt, edges[last] ?? toAt),
  }
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
  readonly spans: SpanRange
  /** How many parts the question has: the CSV has a column for each. */
  readonly parts: number
}

/** The events of rows, and their groups, to be added to those of files. */
function hotSql(
  csv: string | null,
  { keyed, spans, parts }: HotEvents,
): Pick<ReadEvents, 'events' | 'groups'> {
  if (csv === null) return { events: '', groups: '' }
  const columns = {
    span: 'INTEGER',
    ...Object.fromEntries(Array.from({ length: parts }, (_, place) => [keyName(place), 'VARCHAR'])),
    profile_id: 'BIGINT',
    number: 'VARCHAR',
  }
  const raw = keyed.flatMap((one) => one.raw.map(({ isTag }) => (isTag ? plainTagSql(one.name) : 'null')))
  const rows = `${rowsSql(csv, columns)} where span between ${spans.first} and ${spans.last}`
  const shown = ['span', ...raw, 'profile_id', 'null', readNumberSql('number')]
  return {
    events: `union all select ${shown.join(', ')} ${rows}`,
    groups: `union all select ${raw.join(', ')} ${rows}`,
  }
}

function keyName(place: number): string {
  return `k${place}`
}
