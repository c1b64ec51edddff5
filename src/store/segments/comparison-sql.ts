import { type Comparison, instantIn } from '../../domain/segments/comparison.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { encodeJson } from '../../domain/values/json.ts'
import { SEGMENT_ESTIMATE } from '../../rules/segments.ts'
import type { Binds } from '../bind.ts'
import type { NeededPeople } from '../event-needs.ts'

/**
 * Where a condition is used: `brand` is the number of the brand's id among the values, `now` an instant in SQL.
 * `reach` says how many subscriptions the query is about: with `few`, each is looked up; with `everybody`, the search
 * begins at tags, users and events.
 */
export type SegmentScope = {
  readonly brandId: number
  readonly brand: string
  readonly binds: Binds
  readonly now: string
  readonly reach: SegmentReach
  /** The query must limit `s` to the same share; here it only saves work. */
  readonly share?: SegmentShare | undefined
  /** The only people that the query is about, if they are known. */
  readonly people?: NeededPeople | undefined
}

/** The part of a scope that a single comparison needs. */
export type ComparisonScope = Pick<SegmentScope, 'binds' | 'now'>

export type SegmentReach = 'few' | 'everybody'

/** The SQL of the compared value, and its type. */
type SqlOperand = { readonly kind: 'json' | 'instant' | 'number'; readonly sql: string }

/** The SQL of `compare`; it may be null where `compare` is false. */
export function comparisonSql(comparison: Comparison, operand: SqlOperand, scope: ComparisonScope): string {
  const { binds, now } = scope
  switch (comparison.kind) {
    case 'presence':
      return `${comparison.is === 'missing' ? 'not ' : ''}${presentSql(operand)}`
    case 'equality': {
      const value = `${binds.add(encodeJson(comparison.value))}::jsonb`
      // The given value is never null, so an equal one is present.
      if (comparison.is === 'eq') return `${jsonSql(operand)} = ${value}`
      return `(${presentSql(operand)} and ${jsonSql(operand)} <> ${value})`
    }
    case 'choice': {
      const values = binds.add(comparison.values.map((value) => encodeJson(value)))
      return `${jsonSql(operand)} = any(${values}::jsonb[])`
    }
    case 'order': {
      const asked = `${SIGNS[comparison.is]} ${binds.add(String(comparison.value))}::numeric`
      if (operand.kind === 'number') return `${operand.sql} ${asked}`
      const json = jsonSql(operand)
      return `case when jsonb_typeof(${json}) = 'number' then ${json}::numeric ${asked} end`
    }
    case 'text': {
      const json = jsonSql(operand)
      const value = `${binds.add(comparison.value)}::text`
      const hasPart =
        comparison.is === 'contains'
          ? `strpos(${json} #>> '{}', ${value}) > 0`
          : `starts_with(${json} #>> '{}', ${value})`
      return `(jsonb_typeof(${json}) = 'string' and ${hasPart})`
    }
    case 'date': {
      const sign = comparison.is === 'before' ? '<' : '>'
      const wanted = binds.add(new Date(instantIn(comparison.date) ?? Number.NaN))
      return `${instantSql(operand)} ${sign} ${wanted}::timestamptz`
    }
    case 'recency': {
      const since = `${now} - ${binds.add(comparison.days)}::integer * interval '1 day'`
      const at = instantSql(operand)
      return `(${at} > ${since} and ${at} <= ${now})`
    }
    default:
      return unreachable(comparison)
  }
}

const SIGNS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

function presentSql({ kind, sql }: SqlOperand): string {
  return kind === 'json' ? `(coalesce(jsonb_typeof(${sql}), 'null') <> 'null')` : `(${sql} is not null)`
}

function jsonSql({ kind, sql }: SqlOperand): string {
  return kind === 'json' ? sql : `to_jsonb(${sql})`
}

function instantSql(operand: SqlOperand): string {
  if (operand.kind === 'instant') return operand.sql
  const json = jsonSql(operand)
  return `case when jsonb_typeof(${json}) = 'string' then instant_in(${json} #>> '{}') end`
}

/**
 * The share of people that a count is about, if not everybody: the sampled people, who are always the same, or the
 * others. A device without a person stands for itself.
 */
export type SegmentShare = 'picked' | 'others'

/** The condition that limits rows with these ids to a share; empty without a share. */
export function shareSql(share: SegmentShare | undefined, id: string): string {
  if (share === undefined) return ''
  return ` and hashint8(${id}) & ${SEGMENT_ESTIMATE.shares - 1} ${share === 'picked' ? '=' : '<>'} 0`
}
