import { Button } from '@mantine/core'
import { BeckonError } from '../../client/failure.ts'
import styles from './failure-note.module.css'
import { KIT_TEXTS } from './kit-texts.ts'
import { useTexts } from './texts.tsx'

type FailureProps = { readonly error: Error; readonly onRetry?: () => void }

/** An error in words: what happened, and the request id to quote. */
export function FailureNote({ error, onRetry }: FailureProps) {
  const { failure } = useTexts(KIT_TEXTS)
  const requestId = error instanceof BeckonError ? error.requestId : ''
  return (
    <div className={styles.note} role="alert">
      <p>{error instanceof BeckonError ? error.message : failure.away}</p>
      {requestId !== '' && (
        <p className="tiny">
          {failure.request} <code>{requestId}</code>
        </p>
      )}
      {onRetry !== undefined && (
        <Button size="compact-sm" onClick={onRetry}>
          {failure.retry}
        </Button>
      )}
    </div>
  )
}
