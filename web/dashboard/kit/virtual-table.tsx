import { type CSSProperties, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import type { RowList } from './rows.ts'
import { usePageSight } from './sight.ts'
import { Lines } from './skeleton.tsx'
import styles from './table.module.css'
import type { Column } from './table.tsx'

type VirtualTableProps<Row> = {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly list: Pick<RowList<Row>, 'count' | 'rowAt' | 'hasMore' | 'look'>
  readonly empty?: ReactNode
}

/** A table of any length, of which only the rows in sight are drawn. More rows are read before the reader comes to the end. */
export function VirtualTable<Row>({ label, columns, list, empty }: VirtualTableProps<Row>) {
  const { count, rowAt, hasMore } = list
  const body = useRef<HTMLTableSectionElement>(null)
  const { rows, above, below, base, measure } = usePageSight(body, list)
  const widths = useWidths(body, { isLong: (count ?? 0) > LONG_ROWS, columns: columns.length })
  if (count === undefined) {
    return (
      <div className={styles.waiting}>
        <Lines count={4} />
      </div>
    )
  }
  if (count === 0 && empty !== undefined) return <>{empty}</>
  // Where there is no room, the table keeps its width and scrolls inside its card.
  const style: CSSProperties & Record<string, string> = { '--columns': String(columns.length) }
  return (
    <div className={styles.scroll}>
      <table
        style={style}
        className={`${styles.table} ${widths === null ? '' : styles.fixed}`}
        aria-label={label}
        aria-rowcount={hasMore ? -1 : count + 1}
      >
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name, kind }, at) => (
              <th
                key={name}
                scope="col"
                className={kind === 'number' ? styles.n : undefined}
                style={widths === null ? undefined : { width: `${widths[at] ?? 0}%` }}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {above > 0 && <Space px={above} columns={columns.length} />}
          {rows.map(({ index }) => (
            <tr key={index} data-index={index - base} aria-rowindex={index + 2} ref={measure}>
              <Cells columns={columns} row={rowAt(index)} />
            </tr>
          ))}
          {below > 1 && <Space px={below} columns={columns.length} />}
        </tbody>
      </table>
    </div>
  )
}

const LONG_ROWS = 100
type Shape = { readonly isLong: boolean; readonly columns: number }

/** The widths of the columns of a long table, in percent, as they were first: columns must not jump while one scrolls. */
function useWidths(
  body: RefObject<HTMLTableSectionElement | null>,
  { isLong, columns }: Shape,
): readonly number[] | null {
  const [widths, setWidths] = useState<readonly number[] | null>(null)
  useLayoutEffect(() => {
    const head = body.current?.previousElementSibling?.firstElementChild
    if (!isLong || head === null || head === undefined) return setWidths(null)
    const px = [...head.children].map((cell) => cell.getBoundingClientRect().width)
    const whole = px.reduce((sum, part) => sum + part, 0)
    if (whole > 0) setWidths(px.map((part) => (part / whole) * 100))
  }, [body, isLong, columns])
  return widths
}

/** The height of the rows that are not drawn. */
function Space({ px, columns }: { readonly px: number; readonly columns: number }) {
  return (
    <tr aria-hidden>
      <td className={styles.space} colSpan={columns} style={{ height: px }} />
    </tr>
  )
}

type CellsProps<Row> = { readonly columns: readonly Column<Row>[]; readonly row: Row | undefined }

/** A row that is on its way has its height already. */
function Cells<Row>({ columns, row }: CellsProps<Row>) {
  return columns.map(({ name, kind, cell }) => (
    <td key={name} className={kind === 'number' ? styles.n : undefined}>
      {row === undefined ? <span className={styles.coming} /> : cell(row)}
    </td>
  ))
}
