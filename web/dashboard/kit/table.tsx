import type { CSSProperties, ReactNode } from 'react'
import { Lines } from './skeleton.tsx'
import styles from './table.module.css'

export type Column<Row> = {
  readonly name: string
  /** Where columns may have the same name; without it, the name is the key. */
  readonly key?: string
  /** `number`: right-aligned, with figures of one width. */
  readonly kind?: 'text' | 'number'
  readonly cell: (row: Row) => ReactNode
}

type TableProps<Row> = {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** Undefined while they are on their way. */
  readonly rows: readonly Row[] | undefined
  readonly keyOf: (row: Row) => string
  readonly empty?: ReactNode
}

/** A table of rows 38 px high. A long list is `VirtualTable`'s. */
export function Table<Row>({ label, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows === undefined) {
    return (
      <div className={styles.waiting}>
        <Lines count={4} />
      </div>
    )
  }
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>
  // Where there is no room, the table keeps its width and scrolls inside its card.
  const style: CSSProperties & Record<string, string> = { '--columns': String(columns.length) }
  return (
    <div className={styles.scroll}>
      <table className={styles.table} aria-label={label} style={style}>
        <thead>
          <tr>
            {columns.map(({ name, key = name, kind }) => (
              <th key={key} scope="col" className={kind === 'number' ? styles.n : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, key = name, kind, cell }) => (
                <td key={key} className={kind === 'number' ? styles.n : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
