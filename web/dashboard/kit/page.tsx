import { type ReactNode, useEffect } from 'react'
import { Link } from './address.tsx'
import styles from './page.module.css'

type PageProps = {
  readonly title: string
  /** The page above this one: its name and its address. */
  readonly above?: { readonly name: string; readonly to: string }
  /** A pill beside the title: the state of the thing. */
  readonly state?: ReactNode
  /** The actions at the top right. The primary action comes last. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page: its title at the top left, its actions at the top right, its cards below. */
export function Page({ title, above, state, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Beckon`
  }, [title])
  return (
    <>
      <header className={styles.top}>
        {above !== undefined && (
          <Link className={styles.crumb} to={above.to}>
            {above.name}
          </Link>
        )}
        <h1 className={styles.title}>{title}</h1>
        {state}
        <div className={styles.actions}>{actions}</div>
      </header>
      {children}
    </>
  )
}
