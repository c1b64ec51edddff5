import type { SegmentFilter } from '../../../client/api/documents.ts'
import type { FilterFault } from './faults-of.ts'
import styles from './filter.module.css'
import { FilterNode } from './filter-node.tsx'
import { filterOf, joinOf, peel, type Written, writtenOf } from './written.ts'

/** A filter that says nothing yet. The API refuses it; `blanksIn` tells before. */
export const NEW_FILTER: SegmentFilter = { all: [] }

type FilterBuilderProps = {
  readonly value: SegmentFilter
  readonly onChange: (filter: SegmentFilter) => void
  /** Shown at the conditions that they are about. */
  readonly faults?: readonly FilterFault[]
}

/** Says whom in words: the whole language of filters, as rows and groups. */
export function FilterBuilder({ value, onChange, faults = [] }: FilterBuilderProps) {
  const written = writtenOf(value)
  // A lone condition is shown in a group, so that others can be added; it stays alone until one is.
  const isGroup = joinOf(peel(written).core) !== null && peel(written).nots === 0
  const change = (next: Written): void => onChange(filterOf(next))
  return (
    <div className={styles.builder}>
      {isGroup ? (
        <FilterNode written={written} path="filter" depth={1} faults={faults} onChange={change} />
      ) : (
        <FilterNode
          written={{ all: [written] }}
          path={LONE}
          depth={1}
          faults={faults.map((fault) => ({
            ...fault,
            field: fault.field.replace(/^filter/, `${LONE}.all[0]`),
          }))}
          onChange={(next) => change(unwrapLone(next))}
        />
      )}
    </div>
  )
}

const LONE = 'lone'

function unwrapLone(group: Written): Written {
  const { all } = group
  const [first, ...others] = Array.isArray(all) ? all : []
  return first === undefined || others.length > 0 || joinOf(group) !== 'all' ? group : Object(first)
}
