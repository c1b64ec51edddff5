import { type ReactNode, useState } from 'react'
import styles from './plot.module.css'

export type Figures = { readonly title: string; readonly table: ReactNode }

/** The numbers of a plot in a table, folded. It may have thousands of cells, so it is made when it is opened. */
export function PlotFigures({ title, table }: Figures) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={styles.figures} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      <div className={styles.rows}>{isOpen && table}</div>
    </details>
  )
}
