import type { ReactNode } from 'react'
import styles from './empty.module.css'

type EmptyProps = {
  readonly title: string
  readonly text: string
  /** The thing itself, drawn. */
  readonly drawing?: ReactNode
  /** The one step that fills it. */
  readonly children?: ReactNode
}

/** A place without rows: it shows what will stand there, and the step that fills it. */
export function Empty({ title, text, drawing, children }: EmptyProps) {
  return (
    <div className={styles.empty}>
      {drawing}
      <h2>{title}</h2>
      <p className="quiet">{text}</p>
      {children}
    </div>
  )
}
