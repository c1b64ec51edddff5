import type { Filter } from '../../domain/segments/segment.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { personAttributeSql } from './attribute-sql.ts'
import { comparisonSql, type SegmentScope } from './comparison-sql.ts'

/**
 * The condition that a filter finds the person of a profile `x`, as `segmentSql` has it, if the profile itself tells: its attributes and the time it was
 * made. Null for all other filters. To look the same profile up again for each person would take five times as long. It is never null in SQL.
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
