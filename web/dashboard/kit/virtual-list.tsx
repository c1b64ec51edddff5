import { type ReactNode, type RefObject, useRef } from 'react'
import type { RowList } from './rows.ts'
import { type Sight, useBoxSight, usePageSight } from './sight.ts'
import { Lines } from './skeleton.tsx'
import styles from './virtual-list.module.css'

type VirtualListProps<Row> = {
  readonly label: string
  readonly className?: string | undefined
  readonly list: Pick<RowList<Row>, 'count' | 'rowAt' | 'hasMore' | 'look'>
  readonly empty: ReactNode
  /** The content of a line. */
  readonly children: (row: Row) => ReactNode
}

/** A list of any length, of which only the lines in sight are drawn. It scrolls with the page. */
export function VirtualList<Row>(props: VirtualListProps<Row>) {
  const place = useRef<HTMLOListElement>(null)
  return <Drawn {...props} place={place} sight={usePageSight(place, props.list)} />
}

/** The same in a box that scrolls by itself. Its class gives it its greatest height. */
export function VirtualBox<Row>(props: VirtualListProps<Row>) {
  const place = useRef<HTMLOListElement>(null)
  const className = `${styles.box} ${props.className ?? ''}`
  return <Drawn {...props} className={className} place={place} sight={useBoxSight(place, props.list)} />
}

type DrawnProps<Row> = VirtualListProps<Row> & {
  readonly place: RefObject<HTMLOListElement | null>
  readonly sight: Sight
}

function Drawn<Row>({ label, className, list, empty, children, place, sight }: DrawnProps<Row>) {
  const { count, rowAt, hasMore } = list
  if (count === undefined) {
    return (
      <div className={styles.waiting}>
        <Lines count={6} />
      </div>
    )
  }
  if (count === 0) return <>{empty}</>
  const { rows, above, below, base, measure } = sight
  return (
    <ol className={className} ref={place} aria-label={label}>
      {above > 0 && <li aria-hidden className={styles.space} style={{ height: above }} />}
      {rows.map(({ index }) => {
        const row = rowAt(index)
        return (
          <li
            key={index}
            ref={measure}
            data-index={index - base}
            aria-posinset={index + 1}
            aria-setsize={hasMore ? -1 : count}
          >
            {row === undefined ? <span className={styles.coming} /> : children(row)}
          </li>
        )
      })}
      {below > 1 && <li aria-hidden className={styles.space} style={{ height: below }} />}
    </ol>
  )
}
