import { LiteralBinds, writtenInstant } from '../bind.ts'
import { type EventFilter, filterSql, notErasedSql, ofPeopleSql } from '../events/filter.ts'
import type { EventChoice } from '../events/measuring.ts'
import { type EventPart, personJoinSql } from '../events/parts.ts'
import { attributeSql } from '../segments/attribute-sql.ts'
import type { FrozenView, IdSpan } from './frozen-view.ts'

/** The columns of an event `e` that a question wants of rows, in the order of the columns that it reads from files. */
export type HotColumns = (binds: LiteralBinds) => readonly string[]

type HotRows = {
  readonly choice: EventChoice
  /** An attribute that the events must have; null without one. */
  readonly attribute: EventFilter['attribute']
  /** The parts of the groups; those of people need the people's rows. */
  readonly parts: readonly EventPart[]
  /** Several names in place of the one of the choice; null for that one. */
  readonly names: readonly string[] | null
  readonly columns: HotColumns
}

/** Copies, as CSV, the rows of a question that are not in files, or changed since. */
export function copyHotSql({ choice, attribute, parts, names, columns }: HotRows, view: FrozenView): string {
  const binds = new LiteralBinds()
  const { brandId, eventName, people, fromAt, toAt, now } = choice
  const scope = { binds, now: writtenInstant(now) }
  const conditions = [
    filterSql({ brandId, userId: null, eventName, fromAt, toAt, attribute }, binds),
    notErasedSql(binds.add(brandId)),
    ...choice.where.map((condition) => attributeSql(condition, scope, 'e')),
    ...(people === null ? [] : [ofPeopleSql({ brandId, people, now }, binds)]),
    ...(names === null ? [] : [`e.event_name = any(${binds.add(names)}::text[])`]),
  ]
  const select = `select ${columns(binds).join(', ')} from events as e ${personJoinSql(parts)} where ${conditions.join(' and ')}`
  const single = [...view.changed, ...view.late]
  const places = [
    `(${view.hot.map(spanSql).join(' or ')})`,
    // One text is read faster than an array of very many literals.
    ...(single.length === 0 ? [] : [`e.id = any('{${single.join(', ')}}'::bigint[])`]),
  ]
  return `copy (${places.map((place) => `${select} and ${place}`).join(' union all ')}) to stdout (format csv)`
}

function spanSql({ from, to }: IdSpan): string {
  return to === null ? `e.id >= ${from}` : `(e.id >= ${from} and e.id < ${to})`
}

/** The value of a part of an event as `partTag` of a file writes it. `j` stands for what that cannot write. */
export function hotTag(part: EventPart, binds: LiteralBinds): string {
  if (part.kind === 'event') return `'s' || e.event_name`
  return jsonTag(`(${hotJson(part, binds)})`)
}

/** The tag of a value in JSON, in PostgreSQL. */
export function jsonTag(json: string): string {
  return `case jsonb_typeof(${json}) when 'string' then 's' || (${json} #>> '{}')
    when 'number' then 'n' || trim_scale(${json}::numeric)::text when 'boolean' then 'b' || ${json}::text
    when 'object' then 'j' when 'array' then 'j' else 'z' end`
}

function hotJson(part: Exclude<EventPart, { kind: 'event' }>, binds: LiteralBinds): string {
  if (part.kind === 'context') return `e.context #> ${binds.add(part.path)}::text[]`
  if (part.kind === 'person') return `p.attributes -> ${binds.add(part.name)}::text`
  return `e.attributes -> ${binds.add(part.name)}::text`
}

/** The number of an attribute, or the ltv. A number that DuckDB could not hold is a word, which fails the question there. */
export function hotNumber(attribute: string | null, binds: LiteralBinds): string {
  const json = attribute === null ? null : `(e.attributes -> ${binds.add(attribute)}::text)`
  const number =
    json === null ? 'e.ltv' : `(case when jsonb_typeof(${json}) = 'number' then ${json}::numeric end)`
  return `case when scale(trim_scale(${number})) > 9 or abs(${number}) >= 1e20 then 'wide' else ${number}::text end`
}
