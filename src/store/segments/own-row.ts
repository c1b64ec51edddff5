import type { AttributeCondition, Filter } from '../../domain/segments/segment.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { PERSON_NAMES } from '../../rules/segments.ts'
import { personAttributeSql } from './attribute-sql.ts'
import { comparisonSql, type SegmentScope } from './comparison-sql.ts'

/**
 * The condition under which a filter finds the person of a profile `x`, with the same result as `segmentSql`; null if the filter needs more
 * than the attributes of the profile and the time when it was made. A filter that looks the same profile up again for each person takes five
 * times as long. The value of the condition is true or false, and never null.
 */
export function ownRowSql(filter: Filter, scope: SegmentScope): string | null {
  switch (filter.kind) {
    case 'all':
      return groupSql(filter.of, ' and ', scope)
    case 'any':
      return groupSql(filter.of, ' or ', scope)
    case 'not': {
      const sql = ownRowSql(filter.of, scope)
      return sql === null ? null : `not ${sql}`
    }
    case 'attribute':
      return `coalesce(${sameTextSql(filter, scope)}${personAttributeSql(filter, scope)}, false)`
    case 'field': {
      if (filter.field !== 'created_at') return null
      return `coalesce(${comparisonSql(filter.comparison, { kind: 'instant', sql: 'x.created_at' }, scope)}, false)`
    }
    case 'tag':
    case 'users':
    case 'event':
      return null
    default:
      return unreachable(filter)
  }
}

/** Texts are compared twice as fast as JSON, and most people differ already as texts. Their JSON is compared only if their texts are the same. */
function sameTextSql({ attribute, comparison }: AttributeCondition, { binds }: SegmentScope): string {
  if (comparison.kind !== 'equality' || comparison.is !== 'eq' || typeof comparison.value !== 'string')
    return ''
  if (Object.hasOwn(PERSON_NAMES, attribute)) return ''
  return `x.attributes ->> ${binds.add(attribute)}::text = ${binds.add(comparison.value)}::text and `
}

function groupSql(filters: readonly Filter[], word: ' and ' | ' or ', scope: SegmentScope): string | null {
  const parts = filters.map((filter) => ownRowSql(filter, scope))
  return parts.includes(null) ? null : `(${parts.join(word)})`
}
