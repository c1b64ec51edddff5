import type { ReactNode } from 'react'
import styles from './card.module.css'

type CardProps = {
  readonly title?: string
  /** The answer of the card in one line, at the right of its title. */
  readonly aside?: ReactNode
  /** `flush`: the content reaches the edges, as a table does. */
  readonly inset?: 'padded' | 'flush'
  readonly className?: string | undefined
  readonly children: ReactNode
}

export function Card({ title, aside, inset = 'padded', className = '', children }: CardProps) {
  const hasHead = title !== undefined || aside !== undefined
  const padding = hasHead ? styles.below : styles.pad
  return (
    <section className={`${styles.card} ${className}`} aria-label={title}>
      {hasHead && (
        <div className={styles.head}>
          {title !== undefined && <h2>{title}</h2>}
          <div className={styles.aside}>{aside}</div>
        </div>
      )}
      <div className={inset === 'flush' ? styles.flush : padding}>{children}</div>
    </section>
  )
}

/** Cards beside each other, below each other where there is no room. */
export function Columns({
  wide = 'none',
  children,
}: {
  readonly wide?: 'first' | 'last' | 'none'
  readonly children: ReactNode
}) {
  return <div className={`${styles.columns} ${styles[wide]}`}>{children}</div>
}

/** Cards below each other. */
export function Stack({ children }: { readonly children: ReactNode }) {
  return <div className={styles.stack}>{children}</div>
}
