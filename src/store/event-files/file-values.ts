import { canHaveColumn, fileColumnName } from '../../domain/events/file-columns.ts'
import type { AttributeCondition } from '../../domain/segments/segment.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { namesOf, type Scalar } from '../../domain/values/checked.ts'
import { FILE_COLUMN_KINDS, type FileColumnKind } from '../../rules/event-files.ts'
import type { EventPart } from '../events/parts.ts'
import { duckName, duckText } from './duck-sql.ts'

/**
 * A value as a text with a sign of its kind before it: `s` and the text, `n` and the digits without zeros at the end, `btrue`,
 * `bfalse`, or `z` for a value that is missing or null. Two of them are the same text if and only if PostgreSQL finds the
 * values equal. Objects and lists have no such text: a statement that meets one fails, and the rows are asked instead. So does a
 * number that DuckDB cannot read exactly.
 */
export function partTag(part: EventPart, columns: ReadonlySet<string>): string | null {
  switch (part.kind) {
    case 'event':
      return `'s' || event_name`
    case 'attribute':
      return attributeTag(part.name, columns)
    case 'context':
      // PostgreSQL counts places of lists from both ends.
      if (part.path.some((step) => /^-?\d+$/.test(step))) return null
      return jsonTag(`json_extract(context, ${duckText(part.path.map(pointerStep).join(''))})`)
    case 'person':
      throw new Error('people are in no file')
    default:
      return unreachable(part)
  }
}

/** The same of an attribute of events. */
export function attributeTag(attribute: string, columns: ReadonlySet<string>): string {
  const typed = [
    typedSql('json', { attribute, columns }, (column) => `case when ${column} is not null then ${FAIL} end`),
    typedSql('string', { attribute, columns }, (column) => `'s' || ${column}`),
    typedSql('number', { attribute, columns }, (column) => `'n' || ${digitsSql(`${column}::varchar`)}`),
    typedSql('boolean', { attribute, columns }, (column) => `'b' || ${column}::varchar`),
  ].filter((sql) => sql !== null)
  return `case when attributes is null then coalesce(${[...typed, `'z'`].join(', ')}) else ${jsonTag(valueSql(attribute))} end`
}

/** Whether an event has the attribute; its value may be null. */
export function attributePresent(attribute: string, columns: ReadonlySet<string>): string {
  const kinds = namesOf(FILE_COLUMN_KINDS)
  const typed = kinds
    .map((kind) => typedSql(kind, { attribute, columns }, (column) => `${column} is not null`))
    .filter((sql) => sql !== null)
  return `(case when attributes is null then ${['false', ...typed].join(' or ')} else ${valueSql(attribute)} is not null end)`
}

/** The number of an attribute, or null if it is none. */
export function attributeNumber(attribute: string, columns: ReadonlySet<string>): string {
  const typed =
    typedSql('number', { attribute, columns }, (column) => `${column}::${NUMBER}`) ?? `null::${NUMBER}`
  const text = `(${valueSql(attribute)})::varchar`
  return `case when attributes is null then ${typed} when left(${text}, 1) between '-' and '9' then
    case when ${isExactSql(text)} then ${readNumberSql(text)} else ${FAIL}::${NUMBER} end end`
}

/** The type that all numbers are measured in. A sum beyond it fails the statement. */
export const NUMBER = 'DECIMAL(38, 9)'

/** Reads a number. Most fit 18 digits, which DuckDB reads ten times faster. */
export function readNumberSql(text: string): string {
  return `coalesce(try_cast(${text} as DECIMAL(18, 9))::${NUMBER}, ${text}::${NUMBER})`
}

function typedSql(
  kind: FileColumnKind,
  { attribute, columns }: { readonly attribute: string; readonly columns: ReadonlySet<string> },
  render: (column: string) => string,
): string | null {
  const column = fileColumnName({ kind, attribute })
  return canHaveColumn(attribute) && columns.has(column) ? render(duckName(column)) : null
}

function valueSql(attribute: string): string {
  return `json_extract(attributes, ${duckText(pointerStep(attribute))})`
}

/** A step of a JSON pointer (RFC 6901). */
function pointerStep(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function jsonTag(json: string): string {
  const text = `(${json})::varchar`
  return `case left(${text}, 1) when '"' then 's' || ((${json}) ->> '$') when 't' then 'btrue' when 'f' then 'bfalse'
    when '{' then ${FAIL} when '[' then ${FAIL} else case when coalesce(${text}, 'null') = 'null' then 'z'
    when ${isExactSql(text)} then 'n' || ${digitsSql(text)} else ${FAIL} end end`
}

/** Whether the text is that of a number which a double holds exactly, with up to nine digits after the point. */
function isExactSql(text: string): string {
  return `(length(${text}) <= 16 and not contains(${text}, 'e') and not contains(${text}, 'E')
    and (instr(${text}, '.') = 0 or length(${text}) - instr(${text}, '.') <= 9))`
}

/** The id keeps DuckDB from finding the failure before it reads a row. */
const FAIL = `error('no plain value in event ' || id::varchar)::varchar`

function digitsSql(text: string): string {
  return `case when contains(${text}, '.') then rtrim(rtrim(${text}, '0'), '.') else ${text} end`
}

/** The SQL of a condition on an event's attribute, or null if only PostgreSQL can tell: dates are read by a function there. */
export function conditionSql(
  { attribute, comparison }: AttributeCondition,
  columns: ReadonlySet<string>,
): string | null {
  const tag = attributeTag(attribute, columns)
  switch (comparison.kind) {
    case 'presence':
      return `${tag} ${comparison.is === 'missing' ? '=' : '<>'} 'z'`
    case 'equality': {
      const wanted = scalarTag(comparison.value)
      if (wanted === null) return null
      return comparison.is === 'eq' ? `${tag} = ${wanted}` : `${tag} not in ('z', ${wanted})`
    }
    case 'choice': {
      const wanted = comparison.values.map(scalarTag)
      return wanted.includes(null) ? null : `${tag} in (${wanted.join(', ')})`
    }
    case 'order': {
      const wanted = plainDigits(comparison.value)
      return wanted === null
        ? null
        : `${attributeNumber(attribute, columns)} ${SIGNS[comparison.is]} ${wanted}::${NUMBER}`
    }
    case 'text': {
      const has = comparison.is === 'contains' ? 'contains' : 'starts_with'
      return `(left(${tag}, 1) = 's' and ${has}(substr(${tag}, 2), ${duckText(comparison.value)}))`
    }
    case 'date':
    case 'recency':
      return null
    default:
      return unreachable(comparison)
  }
}

const SIGNS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** The tag of a plain value; null if it has none. */
export function scalarTag(value: Scalar): string | null {
  if (typeof value === 'string') return duckText(`s${value}`)
  if (typeof value === 'boolean') return duckText(`b${value}`)
  const digits = plainDigits(value)
  return digits === null ? null : duckText(`n${digits}`)
}

/** The digits of a number that fits `NUMBER`; JavaScript writes very large and very small ones with an exponent. */
function plainDigits(value: number | bigint): string | null {
  const text = String(value)
  return /^-?\d{1,25}(?:\.\d{1,9})?$/.test(text) ? text : null
}
