import { Button } from '@mantine/core'
import { QUERIES } from '../kit/queries.ts'
import { useIsAway, useReturn } from '../kit/reach.ts'
import { useTexts } from '../kit/texts.tsx'
import { useIsUpdated } from '../kit/version.ts'
import styles from './connection-note.module.css'
import { SHELL_TEXTS } from './texts.ts'

/** Says that the server is away, or has another dashboard by now. After an outage every number on the page is read anew. */
export function ConnectionNote() {
  const { connection } = useTexts(SHELL_TEXTS)
  const isAway = useIsAway()
  const isUpdated = useIsUpdated()
  useReturn(() => void QUERIES.invalidateQueries())
  return (
    <div className={styles.place} role="status" aria-atomic>
      {isAway && <p className={styles.note}>{connection.away}</p>}
      {!isAway && isUpdated && (
        <p className={styles.note}>
          {connection.updated}
          <Button size="compact-sm" onClick={() => location.reload()}>
            {connection.reload}
          </Button>
        </p>
      )}
    </div>
  )
}
