import type { SegmentCount, SegmentFact } from '../../rules/segments.ts'
import { unreachable } from '../unreachable.ts'
import type { Comparison } from './comparison.ts'

/** The members of a segment, as a tree of conditions. */
export type Filter = Tree<Condition>

/**
 * A filter in the form a caller writes it, which may refer to other segments. It is stored in that form;
 * `filter.ts` reads it, and `references.ts` puts the other segments in.
 */
export type WrittenFilter = Tree<Condition | Reference>

type Tree<Leaf> =
  | { readonly kind: 'all'; readonly of: readonly Tree<Leaf>[] }
  | { readonly kind: 'any'; readonly of: readonly Tree<Leaf>[] }
  | { readonly kind: 'not'; readonly of: Tree<Leaf> }
  | Leaf

export type Condition =
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'users'; readonly userIds: readonly string[] }
  | AttributeCondition
  | EventCondition
  | { readonly kind: 'field'; readonly field: SegmentFact; readonly comparison: Comparison }

export type AttributeCondition = {
  readonly kind: 'attribute'
  readonly attribute: string
  readonly comparison: Comparison
}

/** How often an event was done, of late or ever, counting only those whose own attributes compare as asked. */
export type EventCondition = {
  readonly kind: 'event'
  readonly event: string
  readonly count: { readonly is: SegmentCount; readonly value: number }
  readonly withinDays: number | null
  readonly where: readonly AttributeCondition[]
}

export type Reference = { readonly kind: 'segment'; readonly id: bigint }

/** The conditions that all must hold, however deep they lie. */
export function conjunctsOf(filter: Filter): readonly Filter[] {
  if (filter.kind === 'all') return filter.of.flatMap(conjunctsOf)
  const [only, ...others] = filter.kind === 'any' ? filter.of : []
  return only !== undefined && others.length === 0 ? conjunctsOf(only) : [filter]
}

/** Whether a count is as asked. SQL asks this about zero, since a person who never did the event has no row. */
export function isCount({ is, value }: EventCondition['count'], count: number): boolean {
  switch (is) {
    case 'eq':
      return count === value
    case 'gt':
      return count > value
    case 'gte':
      return count >= value
    case 'lt':
      return count < value
    case 'lte':
      return count <= value
    default:
      return unreachable(is)
  }
}
