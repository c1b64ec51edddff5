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
    typedSql(
      'json',
      { attribute, columns },
      (column) => `case when ${column} is not null then ${failSql(column)} end`,
    ),
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
  const { column, json } = numberColumns(attribute, columns)
  return `coalesce(${column}::${NUMBER}, ${json})`
}

/** The two places of a number. An event has it in one of them at most. */
export type NumberColumns = {
  /** A decimal as narrow as the file has it. To add these up is much faster than to add up a `NUMBER`. */
  readonly column: string
  /** A `NUMBER` of an event whose attributes are in JSON. */
  readonly json: string
}

export function numberColumns(attribute: string, columns: ReadonlySet<string>): NumberColumns {
  const typed = typedSql('number', { attribute, columns }, (column) => column) ?? `null::${NUMBER}`
  const text = `(${valueSql(attribute)})::varchar`
  return {
    column: `case when attributes is null then ${typed} end`,
    json: `case when attributes is not null and left(${text}, 1) between '-' and '9' then
      case when ${isExactSql(text)} then ${readNumberSql(text)} else ${failSql(text)}::${NUMBER} end end`,
  }
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
    when '{' then ${failSql(text)} when '[' then ${failSql(text)} else case when coalesce(${text}, 'null') = 'null' then 'z'
    when ${isExactSql(text)} then 'n' || ${digitsSql(text)} else ${failSql(text)} end end`
}

/** Whether the text is that of a number which a double holds exactly, with up to nine digits after the point. */
function isExactSql(text: string): string {
  return `(length(${text}) <= 16 and not contains(${text}, 'e') and not contains(${text}, 'E')
    and (instr(${text}, '.') = 0 or length(${text}) - instr(${text}, '.') <= 9))`
}

/**
 * Fails for a value. Its length keeps DuckDB from finding the failure before it reads a row. Anything of an event that the question
 * does not read anyway would have to be read for all events.
 */
function failSql(text: string): string {
  return `error('no plain value in ' || length(${text}) || ' characters')::varchar`
}

/** The digits of a number without zeros at their end. */
export function digitsSql(text: string): string {
  return `case when contains(${text}, '.') then rtrim(rtrim(${text}, '0'), '.') else ${text} end`
}

/**
 * The SQL of a condition on an event's attribute, or null if only PostgreSQL can tell: dates are read by a function there. To make a
 * tag of each value would take most of the time, so events with their values in columns are asked by these.
 */
export function conditionSql(condition: AttributeCondition, columns: ReadonlySet<string>): string | null {
  const tagged = taggedConditionSql(condition, columns)
  const typed = tagged === null ? null : typedConditionSql(condition, columns)
  return typed === null ? tagged : `case when attributes is null then ${typed} else ${tagged} end`
}

function taggedConditionSql(
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

/** The same of events with their values in columns; null if no column has any, or one has objects and lists. */
function typedConditionSql(
  { attribute, comparison }: AttributeCondition,
  columns: ReadonlySet<string>,
): string | null {
  const typed = plainColumns(attribute, columns)
  if (typed === null || typed.length === 0) return null
  const present = `(${typed.map(({ column }) => `${column} is not null`).join(' or ')})`
  const isOneOf = (values: readonly Scalar[]): string => anySql(typed.map((one) => oneOfSql(one, values)))
  switch (comparison.kind) {
    case 'presence':
      return comparison.is === 'missing' ? `not ${present}` : present
    case 'equality': {
      const same = isOneOf([comparison.value])
      return comparison.is === 'eq' ? same : `(${present} and not ${same})`
    }
    case 'choice':
      return isOneOf(comparison.values)
    case 'order': {
      const wanted = decimalSql(comparison.value)
      const sign = SIGNS[comparison.is]
      return anySql(
        typed.map(({ kind, column }) => (kind === 'number' ? `${column} ${sign} ${wanted}` : null)),
      )
    }
    case 'text': {
      const has = comparison.is === 'contains' ? 'contains' : 'starts_with'
      const text = duckText(comparison.value)
      return anySql(
        typed.map(({ kind, column }) => (kind === 'string' ? `${has}(${column}, ${text})` : null)),
      )
    }
    case 'date':
    case 'recency':
      return null
    default:
      return unreachable(comparison)
  }
}

/** The columns of an attribute that have plain values; null if there is one of objects and lists. */
export function plainColumns(attribute: string, columns: ReadonlySet<string>): readonly PlainColumn[] | null {
  if (typedSql('json', { attribute, columns }, (column) => column) !== null) return null
  return PLAIN_KINDS.flatMap((kind) => {
    const column = typedSql(kind, { attribute, columns }, (name) => name)
    return column === null ? [] : [{ kind, column }]
  })
}

const PLAIN_KINDS = ['string', 'number', 'boolean'] as const

export type PlainColumn = { readonly kind: (typeof PLAIN_KINDS)[number]; readonly column: string }

function oneOfSql({ kind, column }: PlainColumn, values: readonly Scalar[]): string | null {
  const wanted = values.flatMap((value) => {
    if (typeof value === 'string') return kind === 'string' ? [duckText(value)] : []
    if (typeof value === 'boolean') return kind === 'boolean' ? [String(value)] : []
    return kind === 'number' ? [decimalSql(value)] : []
  })
  return wanted.length === 0 ? null : `${column} in (${wanted.join(', ')})`
}

/** A column that is null has none of the values. */
function anySql(conditions: readonly (string | null)[]): string {
  const some = conditions.filter((sql) => sql !== null)
  return some.length === 0 ? 'false' : `coalesce(${some.join(', ')}, false)`
}

/** A number in a decimal of its own width, so that a column need not become wider to be compared with it. */
function decimalSql(value: number | bigint): string {
  const text = String(value)
  const [whole = '', rest = ''] = text.replace('-', '').split('.')
  return `${duckText(text)}::DECIMAL(${whole.length + rest.length}, ${rest.length})`
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
