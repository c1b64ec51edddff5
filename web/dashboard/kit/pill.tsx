import type { ReactNode } from 'react'
import styles from './pill.module.css'

/** `live` is for what moves or needs the reader; `ok` and `bad` for outcomes; everything else is `plain`. */
export type PillTone = 'plain' | 'live' | 'ok' | 'bad'

export function Pill({
  tone = 'plain',
  children,
}: {
  readonly tone?: PillTone
  readonly children: ReactNode
}) {
  return <span className={`${styles.pill} ${styles[tone]}`}>{children}</span>
}
