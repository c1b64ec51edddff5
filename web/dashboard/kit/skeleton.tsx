import { KIT_TEXTS } from './kit-texts.ts'
import styles from './skeleton.module.css'
import { useTexts } from './texts.tsx'

/** Lines in the place and size of text that is on its way. */
export function Lines({ count = 3 }: { readonly count?: number }) {
  const { loading } = useTexts(KIT_TEXTS)
  return (
    <div className={styles.lines} role="status" aria-label={loading}>
      {Array.from({ length: count }, (_, index) => (
        <span key={index} className={styles.line} />
      ))}
    </div>
  )
}

/** The outline of a page while its code is on its way. */
export function PageSkeleton() {
  return (
    <div className={styles.page}>
      <span className={styles.title} />
      <span className={styles.card} />
      <span className={styles.card} />
    </div>
  )
}
