import { encodeJson } from '../../domain/json.ts'
import { type Comparison, instantIn } from '../../domain/segment-comparison.ts'
import { unreachable } from '../../domain/unreachable.ts'
import type { Binds } from '../bind.ts'

/**
 * Where a condition is used: `brand` is the place of the brand's id among the values, `now` an instant in SQL. `reach`
 * says how many subscriptions are asked about: `few` looks each of them up, `everybody` begins at the other end.
 */
export type SegmentScope = {
  readonly brand: string
  readonly binds: Binds
  readonly now: string
  readonly reach: SegmentReach
}

export type SegmentReach = 'few' | 'everybody'

/** What is compared, as SQL: a JSON value, or an instant. */
export type Operand = { readonly json: string } | { readonly instant: string }

/** What `compare` says, in SQL; never null. */
export function comparisonSql(comparison: Comparison, operand: Operand, scope: SegmentScope): string {
  const { binds, now } = scope
  switch (comparison.kind) {
    case 'presence':
      return `${comparison.is === 'missing' ? 'not ' : ''}${presentSql(operand)}`
    case 'equality': {
      const value = `${binds.add(encodeJson(comparison.value))}::jsonb`
      // What is asked for is never null, so what equals it is there.
      if (comparison.is === 'eq') return `coalesce(${jsonSql(operand)} = ${value}, false)`
      return `(${presentSql(operand)} and ${jsonSql(operand)} <> ${value})`
    }
    case 'choice': {
      const values = binds.add(comparison.values.map((value) => encodeJson(value)))
      return `coalesce(${jsonSql(operand)} = any(${values}::jsonb[]), false)`
    }
    case 'order': {
      const json = jsonSql(operand)
      const isOrdered = `${json}::numeric ${SIGNS[comparison.is]} ${binds.add(String(comparison.value))}::numeric`
      return `coalesce(case when jsonb_typeof(${json}) = 'number' then ${isOrdered} end, false)`
    }
    case 'text': {
      const json = jsonSql(operand)
      const value = `${binds.add(comparison.value)}::text`
      const hasPart =
        comparison.is === 'contains'
          ? `strpos(${json} #>> '{}', ${value}) > 0`
          : `starts_with(${json} #>> '{}', ${value})`
      return `coalesce(jsonb_typeof(${json}) = 'string' and ${hasPart}, false)`
    }
    case 'date': {
      const sign = comparison.is === 'before' ? '<' : '>'
      const wanted = binds.add(new Date(instantIn(comparison.date) ?? Number.NaN))
      return `coalesce(${instantSql(operand)} ${sign} ${wanted}::timestamptz, false)`
    }
    case 'recency': {
      const since = `${now} - ${binds.add(comparison.days)}::integer * interval '1 day'`
      const at = instantSql(operand)
      return `coalesce(${at} > ${since} and ${at} <= ${now}, false)`
    }
    default:
      return unreachable(comparison)
  }
}

const SIGNS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

function presentSql(operand: Operand): string {
  if ('instant' in operand) return `(${operand.instant} is not null)`
  return `(coalesce(jsonb_typeof(${operand.json}), 'null') <> 'null')`
}

function jsonSql(operand: Operand): string {
  return 'json' in operand ? operand.json : `to_jsonb(${operand.instant})`
}

function instantSql(operand: Operand): string {
  if ('instant' in operand) return operand.instant
  return `case when jsonb_typeof(${operand.json}) = 'string' then instant_in(${operand.json} #>> '{}') end`
}
