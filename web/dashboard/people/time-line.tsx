import { Button, SegmentedControl } from '@mantine/core'
import { useSearchWords } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { KIT_TEXTS } from '../kit/kit-texts.ts'
import { useReadPages } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import type { IdentityKind } from './person.ts'
import { PEOPLE_TEXTS } from './texts.ts'
import styles from './time-line.module.css'
import { What } from './time-line-words.tsx'

/** The kinds of lines behind each choice. */
const CHOICES = {
  all: '',
  event: 'event',
  message: 'delivery,receipt',
  journey: 'journey',
  change: 'change,merge',
} as const

const NAMES = ['all', 'event', 'message', 'journey', 'change'] as const

export function TimeLine({ id, by }: { readonly id: string; readonly by: IdentityKind }) {
  const { line: texts } = useTexts(PEOPLE_TEXTS)
  const { more } = useTexts(KIT_TEXTS)
  const [words, change] = useSearchWords()
  const shown = NAMES.find((name) => name === words['show']) ?? 'all'
  const kinds = CHOICES[shown]
  const pages = useReadPages('GET /api/v1/users/{user_id}/timeline', {
    path: { user_id: id },
    query: { by, limit: 50, ...(kinds === '' ? {} : { kinds }) },
  })
  const rows = pages.data?.pages.flatMap(({ timeline }) => timeline)
  const choose = (
    <SegmentedControl
      className={styles.choice ?? ''}
      aria-label={texts.title}
      value={shown}
      onChange={(name) => change({ show: name === 'all' ? '' : name })}
      data={NAMES.map((name) => ({ value: name, label: texts.kinds[name] }))}
    />
  )
  return (
    <Card title={texts.title} aside={choose} inset="flush">
      {pages.error !== null && <FailureNote error={pages.error} onRetry={() => void pages.refetch()} />}
      {rows === undefined && pages.error === null && (
        <div className={styles.pad}>
          <Lines count={6} />
        </div>
      )}
      {rows?.length === 0 && <p className={`${styles.pad} quiet small`}>{texts.empty}</p>}
      <ol className={styles.line}>
        {rows?.map((row, index) => (
          <li key={`${row.at}${index}`}>
            <span className={styles.at}>
              <Time at={row.at} />
            </span>
            <div className={styles.what}>
              <What row={row} />
            </div>
          </li>
        ))}
      </ol>
      {pages.hasNextPage && (
        <div className={styles.pad}>
          <Button onClick={() => void pages.fetchNextPage()} loading={pages.isFetchingNextPage}>
            {more}
          </Button>
        </div>
      )}
    </Card>
  )
}
