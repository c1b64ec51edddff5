import type { Filter } from '../../domain/segments/segment.ts'
import { unreachable } from '../../domain/unreachable.ts'
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
      return `coalesce(${personAttributeSql(filter, scope)}, false)`
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

function groupSql(filters: readonly Filter[], word: ' and ' | ' or ', scope: SegmentScope): string | null {
  const parts = filters.map((filter) => ownRowSql(filter, scope))
  return parts.includes(null) ? null : `(${parts.join(word)})`
}
