import { type ReactNode, useRef } from 'react'
import type { User } from '../../client/api/profiles.ts'
import { Link } from '../kit/address.tsx'
import { Amount, Count } from '../kit/number.tsx'
import { PLATFORM_LABELS } from '../kit/platform-labels.ts'
import type { RowList } from '../kit/rows.ts'
import { usePageSight } from '../kit/sight.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import styles from './people-list.module.css'
import { addressOfEvents, addressOfPerson, nameOf } from './person.ts'
import { PEOPLE_TEXTS } from './texts.ts'

type PeopleListProps = {
  readonly list: Pick<RowList<User>, 'count' | 'rowAt' | 'hasMore' | 'look'>
  readonly empty: ReactNode
}

/** A list that draws only the rows in sight, and asks for more before the reader reaches its end. */
export function PeopleList({ list, empty }: PeopleListProps) {
  const texts = useTexts(PEOPLE_TEXTS)
  const top = useRef<HTMLDivElement>(null)
  const { count = 0, rowAt, hasMore } = list
  const sight = usePageSight(top, list)
  if (list.count === undefined) {
    return (
      <div className={styles.waiting}>
        <Lines count={8} />
      </div>
    )
  }
  if (count === 0) return <>{empty}</>
  return (
    <div
      role="table"
      aria-label={texts.title}
      aria-rowcount={hasMore ? -1 : count + 1}
      className={styles.table}
    >
      <div role="row" className={styles.head} aria-rowindex={1}>
        {COLUMNS.map((name) => (
          <span role="columnheader" key={name} className={isNumber(name) ? styles.n : undefined}>
            {texts.columns[name]}
          </span>
        ))}
      </div>
      <div role="rowgroup" ref={top} className={styles.body} style={{ height: sight.height }}>
        {sight.rows.map(({ index, top: offset }) => {
          const row = rowAt(index)
          return row === undefined ? null : <PersonRow key={index} row={row} index={index} offset={offset} />
        })}
      </div>
    </div>
  )
}

const COLUMNS = ['person', 'contact', 'platforms', 'events', 'ltv', 'seen'] as const

function isNumber(name: (typeof COLUMNS)[number]): boolean {
  return name === 'events' || name === 'ltv'
}

type PersonRowProps = { readonly row: User; readonly index: number; readonly offset: number }

function PersonRow({ row, index, offset }: PersonRowProps) {
  const texts = useTexts(PEOPLE_TEXTS)
  return (
    <div
      role="row"
      className={styles.row}
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${offset}px)` }}
    >
      <span role="cell" className={styles.cut}>
        <Link to={addressOfPerson(row)}>{nameOf(row, texts.anonymous)}</Link>
      </span>
      <span role="cell" className={`${styles.cut} quiet`}>
        {row.email ?? row.mobile ?? ''}
      </span>
      <span role="cell" className={styles.cut}>
        {row.platforms.map((platform) => PLATFORM_LABELS[platform]).join(', ')}
      </span>
      <span role="cell" className={styles.n}>
        <Count value={row.event_count} to={addressOfEvents(row)} />
      </span>
      <span role="cell" className={styles.n}>
        <Amount value={Number(row.ltv)} to={addressOfEvents(row)} />
      </span>
      <span role="cell" className={`${styles.cut} quiet`}>
        <Time at={row.last_seen} how="ago" />
      </span>
    </div>
  )
}
