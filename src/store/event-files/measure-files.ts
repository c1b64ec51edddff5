import type { MeasuredCell } from '../../domain/events/query-answer.ts'
import { unreachable } from '../../domain/unreachable.ts'
import type { EventMeasure } from '../../rules/event-queries.ts'
import type { DuckDbCell } from '../../runtime/duckdb/messages.ts'
import type { ColdRows } from './cold-rows.ts'
import { textOf } from './duck-sql.ts'
import { type FileSteps, oneStep } from './file-steps.ts'
import { NUMBER } from './file-values.ts'
import type { KeyColumns } from './key-columns.ts'
import { sizeOrder } from './people-count.ts'
import { peopleSteps } from './people-steps.ts'
import { hasRoomForNumbers, percentileSql, rankedSql } from './percentile-files.ts'
import { coldReader, type FileQuestion, type ReadEvents } from './read-events.ts'
import { untagged } from './tags.ts'

/**
 * The statements of DuckDB that measure as `measureEvents` does; null if only rows can answer, which
 * read the dates in its conditions.
 */
export function measureSteps(question: FileQuestion, cold: ColdRows): FileSteps | null {
  const read = coldReader(question, cold)
  if (read === null) return null
  if (question.measure === 'people') {
    const steps = peopleSteps(question, cold, read)
    if (steps !== null) return steps
  }
  if (question.measure === 'percentile') return percentileSteps(question, cold, read())
  return oneStep(measureSql({ ...question, keepsNumbers: false }, read()))
}

/** The events are counted first, which takes a third of the time of a percentile. */
function* percentileSteps(question: FileQuestion, cold: ColdRows, read: ReadEvents): FileSteps {
  const sql = `select count(*)::varchar from (${read.events})`
  const [counted] = yield { sql, work: { from: 0, to: COUNT_WORK } }
  const keepsNumbers = hasRoomForNumbers(question, { ...cold, events: Number(textOf(counted?.[0])) })
  return yield { sql: measureSql({ ...question, keepsNumbers }, read), work: { from: COUNT_WORK, to: 1 } }
}

const COUNT_WORK = 0.25

function measureSql(question: MeasuredQuestion, { events, keyed }: ReadEvents): string {
  const keys = keyed.map(({ name }) => name)
  const picked = pickedSql(question, events, keyed)
  return keys.length === 0 ? undivided(question, picked) : divided(question, picked, keys)
}

/** `keepsNumbers`: the memory has room for the number of each event of a percentile. */
type MeasuredQuestion = FileQuestion & { readonly keepsNumbers: boolean }

/** Events that differ in nothing that is asked become one row, so that each file is read once and little is kept in memory. */
function pickedSql(
  { measure, spansBefore, keepsNumbers }: MeasuredQuestion,
  all: string,
  keyed: readonly KeyColumns[],
): string {
  const same = ['span', ...keyed.flatMap(({ raw }) => raw.map(({ name }) => name))].join(', ')
  const shown = [
    'span',
    `span <= ${spansBefore} as is_before`,
    ...keyed.map(({ tag, name }) => `${tag} as ${name}`),
  ]
  const picked = (values: string, kept: string): string =>
    `picked as materialized (select ${shown.join(', ')}, ${kept} from (${values}))`
  switch (measure) {
    case 'count':
      return picked(`select ${same}, count(*) as events from (${all}) group by ${same}`, 'events')
    case 'sum':
    case 'average':
      return picked(
        `select ${same}, ${SUM} as number, count(number) + count(other) as numbers from (${all}) group by ${same}`,
        'number, numbers',
      )
    case 'people':
      if (keyed.length === 0)
        return `picked as not materialized (select ${shown.join(', ')}, profile_id from (${all}))`
      return picked(`select distinct ${same}, profile_id from (${all})`, 'profile_id')
    case 'percentile':
      if (keepsNumbers && keyed.length === 0)
        return `picked as not materialized (select ${shown.join(', ')}, ${EITHER} as number from (${all}))`
      if (keepsNumbers)
        return picked(
          `select ${same}, list(${EITHER}) as listed, count(${EITHER}) as numbers from (${all}) group by ${same}`,
          'listed, numbers',
        )
      return picked(
        `select ${same}, ${EITHER} as number, count(${EITHER}) as numbers from (${all}) group by ${same}, ${EITHER}`,
        'number, numbers',
      )
    default:
      return unreachable(measure)
  }
}

const EITHER = 'coalesce(number::double, other::double)'

/** Null if there is no number at all. */
const SUM = `coalesce(sum(number)::${NUMBER} + sum(other), sum(number)::${NUMBER}, sum(other))`

function undivided(question: MeasuredQuestion, picked: string): string {
  const cells = { from: 'picked', sets: [[], ['span']], place: 'null', keys: [], groups: '0' }
  return `with ${picked} ${cellsSql(question, cells)}`
}

function divided(question: MeasuredQuestion, picked: string, keys: readonly string[]): string {
  const list = keys.join(', ')
  const order = sizeOrder(keys)
  return `with ${picked},
    counted as (select ${list}, ${sizeSql(question)} as size, count(*) over () as groups
      from picked where not is_before group by ${list} order by ${order} limit ${question.groupsMax}),
    largest as materialized (select ${list}, groups, row_number() over (order by ${order}) as place from counted),
    placed as (select picked.*, coalesce(place, 0) as place from picked left join largest using (${list}))
    ${summedSql(question, keys)}
    ${cellsSql(question, {
      from: 'summed',
      sets: [[], ['span'], ['place'], ['place', 'span']],
      place: 'place',
      keys,
      groups: 'coalesce((select max(groups) from largest), 0)',
    })}`
}

/** Numbers that add up are added up before the cells are, which read them several times: there may be very many groups. */
function summedSql({ measure, keepsNumbers }: MeasuredQuestion, keys: readonly string[]): string {
  if (keepsNumbers) return ', summed as (select * exclude (listed), unnest(listed) as number from placed)'
  const shown = keys.map((key) => `case when place > 0 then min(${key}) end as ${key}`)
  const sums = SUMS[measure].map((column) => `sum(${column}) as ${column}`)
  if (sums.length === 0) return ', summed as (select * from placed)'
  return `, summed as materialized (select place, span, is_before, ${[...shown, ...sums].join(', ')} from placed
    group by place, span, is_before)`
}

const SUMS: Readonly<Record<EventMeasure, readonly string[]>> = {
  count: ['events'],
  people: [],
  sum: ['number'],
  average: ['number', 'numbers'],
  percentile: [],
}

type Cells = {
  readonly from: string
  /** The columns by which the cells are told apart, besides the time before. */
  readonly sets: readonly (readonly string[])[]
  readonly place: string
  readonly keys: readonly string[]
  readonly groups: string
}

/** The cells of the answer, as a select. */
function cellsSql(question: MeasuredQuestion, { from, sets, place, keys, groups }: Cells): string {
  const key = keys.length === 0 ? 'null' : `case when place > 0 then [${keys.map(least).join(', ')}] end`
  const shown = `${place} as place, ${key} as key, span, is_before, ${valueSql(question)}, ${groups} as groups`
  if (question.measure !== 'percentile' || question.keepsNumbers) {
    const each = sets.map((set) => `(${['is_before', ...set].join(', ')})`)
    return `select ${shown} from ${from} group by grouping sets (${each.join(', ')})`
  }
  const cell = ['is_before', ...(sets.at(-1) ?? [])]
  const ranked = rankedSql({ from, sets, cell, kept: keys })
  return `select ${shown} from (${ranked}) group by ${cell.join(', ')}`
}

function least(column: string): string {
  return `min(${column})`
}

/** Two columns: the value, or the dividend and the divisor of a mean. Exact numbers are texts. */
function valueSql({ measure, percentile, keepsNumbers }: MeasuredQuestion): string {
  switch (measure) {
    case 'count':
      return 'sum(events)::varchar, null'
    case 'people':
      return 'count(distinct profile_id)::varchar, null'
    case 'sum':
      return 'coalesce(sum(number), 0)::varchar, null'
    case 'average':
      return 'sum(number)::varchar, sum(numbers)::varchar'
    case 'percentile':
      return keepsNumbers
        ? `quantile_cont(number, ${percentile}::double), null`
        : `${percentileSql(percentile)}, null`
    default:
      return unreachable(measure)
  }
}

function sizeSql({ measure }: FileQuestion): string {
  switch (measure) {
    case 'count':
      return 'sum(events)'
    case 'people':
      return 'count(distinct profile_id)'
    case 'sum':
      return 'coalesce(sum(number), 0)'
    case 'average':
      return 'sum(numbers)'
    case 'percentile':
      return 'sum(numbers)'
    default:
      return unreachable(measure)
  }
}

/** The cells of the answer. A place is null in the number of all groups, and 0 in that of the rest. */
export function cellOf(row: readonly DuckDbCell[]): MeasuredCell {
  const [place = null, key = null, span = null, isBefore, value = null, divisor = null, groups] = row
  return {
    group: place === null ? null : Number(place),
    key: Array.isArray(key) ? key.map((tag) => untagged(String(tag))) : null,
    span: span === null ? null : Number(span),
    isBefore: isBefore === true,
    value: quotient(value, divisor),
    groups: Number(groups),
  }
}

function quotient(value: DuckDbCell, divisor: DuckDbCell): number | null {
  if (value === null) return null
  return divisor === null ? Number(value) : Number(value) / Number(divisor)
}
