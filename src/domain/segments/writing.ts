import { unreachable } from '../unreachable.ts'
import type { Comparison } from './comparison.ts'
import type { WrittenFilter } from './segment.ts'

/** The stored form of a filter; `parseFilter` gives the filter back. */
export function encodeFilter(filter: WrittenFilter): object {
  switch (filter.kind) {
    case 'all':
      return { all: filter.of.map(encodeFilter) }
    case 'any':
      return { any: filter.of.map(encodeFilter) }
    case 'not':
      return { not: encodeFilter(filter.of) }
    case 'tag':
      return { tag: filter.tag }
    case 'users':
      return { users: filter.userIds }
    case 'attribute':
      return { attribute: filter.attribute, ...encodeComparison(filter.comparison) }
    case 'field':
      return { field: filter.field, ...encodeComparison(filter.comparison) }
    case 'event':
      return {
        event: filter.event,
        count: { [filter.count.is]: filter.count.value },
        ...(filter.withinDays === null ? {} : { within_days: filter.withinDays }),
        ...(filter.where.length === 0 ? {} : { where: filter.where.map(encodeFilter) }),
      }
    case 'segment':
      return { segment: filter.id }
    default:
      return unreachable(filter)
  }
}

function encodeComparison(comparison: Comparison): object {
  switch (comparison.kind) {
    case 'presence':
      return { is: comparison.is }
    case 'choice':
      return { is: 'in', value: comparison.values }
    case 'date':
      return { is: comparison.is, value: comparison.date }
    case 'recency':
      return { is: 'within_days', value: comparison.days }
    case 'equality':
    case 'order':
    case 'text':
      return { is: comparison.is, value: comparison.value }
    default:
      return unreachable(comparison)
  }
}
