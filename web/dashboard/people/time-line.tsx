import { SegmentedControl } from '@mantine/core'
import { useSearchWords } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useRows } from '../kit/rows.ts'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { VirtualList } from '../kit/virtual-list.tsx'
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
  const [words, change] = useSearchWords()
  const shown = NAMES.find((name) => name === words['show']) ?? 'all'
  const kinds = CHOICES[shown]
  const list = useRows(
    'GET /api/v1/users/{user_id}/timeline',
    { path: { user_id: id }, query: { by, limit: 50, ...(kinds === '' ? {} : { kinds }) } },
    { rowsOf: ({ timeline }) => timeline },
  )
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
      {list.error !== null && <FailureNote error={list.error} onRetry={list.retry} />}
      {(list.error === null || list.count !== undefined) && (
        <VirtualList
          label={texts.title}
          className={styles.line}
          list={list}
          empty={<p className={`${styles.pad} quiet small`}>{texts.empty}</p>}
        >
          {(row) => (
            <>
              <span className={styles.at}>
                <Time at={row.at} />
              </span>
              <div className={styles.what}>
                <What row={row} />
              </div>
            </>
          )}
        </VirtualList>
      )}
    </Card>
  )
}
