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

/** The events that a question is about, of files and rows; null if only rows can answer. */
export function readEventsSql(question: FileQuestion, cold: ColdRows): ReadEvents | null {
  const { where, parts, edges, eventName, fromAt, toAt } = question
  const known = cold.view.columns
  const conditions = where.map((condition) => conditionSql(condition, known))
  const keyed: readonly (KeyColumns | null)[] = parts.map((part, place) =>
    keyColumns(part, { parts, columns: known, name: `k${place}` }),
  )
  if (!areKnown(conditions) || !areKnown(keyed)) return null
  const names = eventName === null ? null : [eventName]
  const keys = keyed.flatMap(({ raw }) => raw.map(({ sql, name }) => `${sql} as ${name}`))
  const shown = [`${spanOfSql(edges)} as span`, ...keys, 'profile_id', ...numbersSql(question, known)]
  const readsNumber = EVENT_MEASURES[question.measure].needsNumber
  const columns = readsNumber || where.length > 0 ? 'united' : partColumns(parts)
  const join = cold.people === null ? '' : joinPeopleSql(cold.people, question)
  const choice = { names, fromAt, toAt, columns, conditions } as const
  const hot = hotSql(cold.csv, keyed)
  const joinOfGroups = areAboutPeople(parts) ? join : ''
  return {
    events: `select ${shown.join(', ')} ${filesSql(cold, { ...choice, join })} ${hot.events}`,
    groups: `select ${keys.join(', ')} ${filesSql(cold, { ...choice, join: joinOfGroups })} ${hot.groups}`,
    keyed,
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

/** The events of rows, and their groups, to be added to those of files. */
function hotSql(csv: string | null, keyed: readonly KeyColumns[]): Omit<ReadEvents, 'keyed'> {
  if (csv === null) return { events: '', groups: '' }
  const columns = {
    span: 'INTEGER',
    ...Object.fromEntries(keyed.map(({ name }) => [name, 'VARCHAR'])),
    profile_id: 'BIGINT',
    number: 'VARCHAR',
  }
  const raw = keyed.flatMap((one) => one.raw.map(({ isTag }) => (isTag ? plainTagSql(one.name) : 'null')))
  const rows = rowsSql(csv, columns)
  const shown = ['span', ...raw, 'profile_id', 'null', readNumberSql('number')]
  return {
    events: `union all select ${shown.join(', ')} ${rows}`,
    groups: `union all select ${raw.join(', ')} ${rows}`,
  }
}
