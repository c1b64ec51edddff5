import type { MeasuredCell } from '../../domain/events/query-answer.ts'
import type { AttributeCondition, Filter } from '../../domain/segments/segment.ts'
import { unreachable } from '../../domain/unreachable.ts'
import type { EventMeasure } from '../../rules/event-queries.ts'
import { Binds, writtenInstant } from '../bind.ts'
import type { Db } from '../db.ts'
import { needing } from '../event-needs.ts'
import { attributeSql } from '../segments/attribute-sql.ts'
import { filterNeed, filterSql, notErasedSql, ofPeopleSql, peopleSql } from './filter.ts'
import { type EventPart, keySql, largestSql, personJoinSql } from './parts.ts'

/** The events that a question is about. */
export type EventChoice = {
  readonly brandId: number
  /** Null for all names. */
  readonly eventName: string | null
  readonly where: readonly AttributeCondition[]
  /** Null for everybody. A filter of people must be asked as the engine. */
  readonly people: Filter | null
  readonly fromAt: number
  readonly toAt: number
  readonly now: number
}

export type EventQuestion = EventChoice & {
  readonly measure: EventMeasure
  /** The number attribute that is measured; null for ltv. */
  readonly attribute: string | null
  /** Between 0 and 1. */
  readonly percentile: number
  readonly parts: readonly EventPart[]
  readonly groupsMax: number
  /** The edges of all spans, and how many spans at the beginning are the period before. */
  readonly edges: readonly number[]
  readonly spansBefore: number
  /**
   * The first ids of the later parts in which the events are read, if their reader wants to know how far it is: each
   * part ends with the notice `PART_READ`. Null to read them as one.
   */
  readonly cuts: readonly bigint[] | null
}

/** The notice that `tell_part_read` raises. */
export const PART_READ = 'beckon: part read'

/**
 * The number of each group, each span, and of all of them. The largest groups of the present period are shown, and all
 * others count as one. People of several spans or groups are counted once in the number of all, so no number is a sum of
 * others: one statement makes them from the same events.
 */
export async function measureEvents(db: Db, question: EventQuestion): Promise<readonly MeasuredCell[]> {
  const binds = new Binds()
  const whose = whoseSql(question, binds)
  const picked = pickedSql(question, binds)
  const value = valueSql(question, binds)
  const text =
    question.parts.length === 0
      ? `with ${whose} picked as (${picked})
         select null as "group", null as key, span, is_before as "isBefore", ${value} as value, 0 as groups
         from picked group by grouping sets ((is_before), (is_before, span))`
      : `with ${whose} picked as not materialized (${picked}), largest as materialized (
           ${largestSql('(select * from picked where not is_before) as present', sizeSql(question), binds.add(question.groupsMax))}
         ), placed as (
           select picked.*, coalesce(largest.place, 0) as place from picked left join largest using (key)
         )
         select place as "group", case when place > 0 then min(key::text)::jsonb end as key, span,
           is_before as "isBefore", ${value} as value, coalesce((select max(groups) from largest), 0) as groups
         from placed group by grouping sets ((is_before), (is_before, span), (is_before, place), (is_before, place, span))`
  const values = needing(binds.values, filterNeed({ ...question, userId: null }))
  const { rows } = await db.query<MeasuredCell>(text, values)
  return rows
}

/** One row for each event: its span, its group, its person, and the number that is measured. */
function pickedSql(question: EventQuestion, binds: Binds): string {
  const { attribute, parts, edges, spansBefore } = question
  const where = choiceSql(question, binds)
  const span = `width_bucket(e.event_at, ${binds.add(edges.map((edge) => new Date(edge)))}::timestamptz[])`
  const key = parts.length === 0 ? 'null' : keySql(parts, binds)
  const number = attribute === null ? 'e.ltv' : numberSql(`e.attributes -> ${binds.add(attribute)}::text`)
  const all = `select ${span} as span, ${span} <= ${binds.add(spansBefore)}::integer as is_before, ${key} as key, e.profile_id,
    ${number} as number from events as e ${personJoinSql(parts)} where ${where}`
  return question.cuts === null ? all : partsSql(all, question.cuts, binds)
}

/**
 * The same rows, part after part: PostgreSQL reads the members of a union in their order. The planner drops a member that no
 * condition on it could meet, so the row that a notice could have, and has not, is none of the period before.
 */
function partsSql(all: string, cuts: readonly bigint[], binds: Binds): string {
  const bounds = cuts.map((cut) => `${binds.add(cut)}::bigint`)
  const parts = [...bounds, null].map((end, place) => {
    const start = bounds[place - 1]
    const from = start === undefined ? '' : ` and e.id >= ${start}`
    const to = end === null ? '' : ` and e.id < ${end}`
    return `${all}${from}${to} union all select 0, false, null::jsonb, 0::bigint, 0::numeric from tell_part_read()`
  })
  return parts.join(' union all ')
}

/** The people of a question that is read in parts, looked up once for all parts. */
function whoseSql({ brandId, people, now, cuts }: EventQuestion, binds: Binds): string {
  if (people === null || cuts === null) return ''
  return `whose as materialized (${peopleSql({ brandId, people, now }, binds)}),`
}

function choiceSql({ cuts, ...choice }: EventQuestion, binds: Binds): string {
  const { brandId, eventName, where, people, fromAt, toAt, now } = choice
  const scope = { binds, now: writtenInstant(now) }
  const parts = [
    filterSql({ brandId, userId: null, eventName, fromAt, toAt, attribute: null }, binds),
    notErasedSql(binds.add(brandId)),
    ...where.map((condition) => attributeSql(condition, scope, 'e')),
  ]
  if (people !== null && cuts === null) parts.push(ofPeopleSql({ brandId, people, now }, binds))
  if (people !== null && cuts !== null) parts.push('e.profile_id in (select id from whose)')
  return parts.join(' and ')
}

function numberSql(json: string): string {
  return `case when jsonb_typeof(${json}) = 'number' then (${json})::numeric end`
}

function valueSql({ measure, percentile }: EventQuestion, binds: Binds): string {
  switch (measure) {
    case 'count':
      return 'count(*)::double precision'
    case 'people':
      return 'count(distinct profile_id)::double precision'
    case 'sum':
      return 'coalesce(sum(number), 0)::double precision'
    case 'average':
      return 'avg(number)::double precision'
    case 'percentile':
      return `percentile_cont(${binds.add(percentile)}::double precision) within group (order by number::double precision)`
    default:
      return unreachable(measure)
  }
}

/** The size that the order of groups follows. The largest mean may be that of a single event, so means go by events. */
function sizeSql({ measure }: EventQuestion): string {
  switch (measure) {
    case 'count':
      return 'count(*)'
    case 'people':
      return 'count(distinct profile_id)'
    case 'sum':
      return 'coalesce(sum(number), 0)'
    case 'average':
    case 'percentile':
      return 'count(number)'
    default:
      return unreachable(measure)
  }
}
