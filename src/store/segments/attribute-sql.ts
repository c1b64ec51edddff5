import { normalEmail } from '../../domain/people/identifiers.ts'
import type { Comparison } from '../../domain/segments/comparison.ts'
import type { AttributeCondition } from '../../domain/segments/segment.ts'
import type { Scalar } from '../../domain/values/checked.ts'
import { PERSON_NAMES, type PersonName } from '../../rules/segments.ts'
import { type ComparisonScope, comparisonSql, type SegmentScope } from './comparison-sql.ts'

/** An attribute of a row, which is a profile or an event; its name is `x` where nothing else is said. */
export function attributeSql(
  { attribute, comparison }: AttributeCondition,
  scope: ComparisonScope,
  row = 'x',
): string {
  const sql = `(${row}.attributes -> ${scope.binds.add(attribute)}::text)`
  return comparisonSql(comparison, { kind: 'json', sql }, scope)
}

/**
 * An attribute of a profile `x`. Email, mobile and user id are asked for like attributes and stored in other columns;
 * an attribute of the brand with that name goes before them, as in templates.
 */
export function personAttributeSql(condition: AttributeCondition, scope: SegmentScope): string {
  const own = attributeSql(condition, scope)
  const name = Object.hasOwn(NAMES, condition.attribute) ? NAMES[condition.attribute] : undefined
  if (name === undefined) return own
  const named = nameSql(name, condition.comparison, scope)
  return `case when x.attributes ? ${scope.binds.add(condition.attribute)} then ${own} else ${named} end`
}

const NAMES: Readonly<Record<string, PersonName>> = PERSON_NAMES

function nameSql(name: PersonName, comparison: Comparison, scope: SegmentScope): string {
  if (name === 'user_id') return userIdSql(comparison, scope)
  const asked = name === 'email' ? inLowerCase(comparison) : comparison
  return comparisonSql(asked, { kind: 'json', sql: `to_jsonb(x.${name})` }, scope)
}

/** A merged person has several user ids, and one that compares as asked suffices; for `ne` none may be the given one. */
function userIdSql(comparison: Comparison, scope: SegmentScope): string {
  const theirs = `select from profile_identities as i
    where i.brand_id = x.brand_id and i.profile_id = x.id and i.kind = 'user_id'`
  if (comparison.kind === 'presence') return `${comparison.is === 'missing' ? 'not ' : ''}exists (${theirs})`
  const operand = { kind: 'json', sql: 'to_jsonb(i.value)' } as const
  if (comparison.kind === 'equality' && comparison.is === 'ne') {
    const same = comparisonSql({ ...comparison, is: 'eq' }, operand, scope)
    return `(exists (${theirs}) and not exists (${theirs} and ${same}))`
  }
  return `exists (${theirs} and ${comparisonSql(comparison, operand, scope)})`
}

/** Emails are stored in lower case, so a text that they are compared with is taken in lower case too. */
function inLowerCase(comparison: Comparison): Comparison {
  if (comparison.kind === 'equality') return { ...comparison, value: lower(comparison.value) }
  if (comparison.kind === 'choice') return { ...comparison, values: comparison.values.map(lower) }
  if (comparison.kind === 'text') return { ...comparison, value: comparison.value.toLowerCase() }
  return comparison
}

function lower(value: Scalar): Scalar {
  return typeof value === 'string' ? normalEmail(value) : value
}
