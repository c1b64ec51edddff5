import { Button } from '@mantine/core'
import { useState } from 'react'
import type { ReplyOf } from '../kit/call.ts'
import { Card, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useFormat } from '../kit/number.tsx'
import { useRead } from '../kit/queries.ts'
import { useRows } from '../kit/rows.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { VirtualList } from '../kit/virtual-list.tsx'
import styles from './refused.module.css'
import { EVENTS_TEXTS } from './texts.ts'
import tools from './tools.module.css'

type Refused = ReplyOf<'GET /api/v1/events/rejected'>['rejected'][number]

const PAGE_ROWS = 100

/** The entries that were refused, by cause: the cause, where it came from, what to do. */
export function RefusedView() {
  const { refused: texts } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const { data, error, refetch } = useRead('GET /api/v1/events/rejected', { query: { limit: PAGE_ROWS } })
  const rows = data?.rejected
  const causes = rows === undefined ? [] : [...Map.groupBy(rows, causeOf).values()]
  const count = rows?.length ?? 0
  const hasMore = data !== undefined && data.next_cursor !== null
  const said = hasMore ? texts.newest(format.count(count)) : texts.all(count, format.count(count))
  return (
    <>
      <div className={tools['tools']}>
        <span className="small quiet" aria-live="polite">
          {rows !== undefined && count > 0 && said}
        </span>
        <div className={tools['end']}>
          <CopyCurl endpoint="GET /api/v1/events/rejected" input={{ query: { limit: PAGE_ROWS } }} />
        </div>
      </div>
      <Stack>
        {error !== null && <FailureNote error={error} onRetry={() => void refetch()} />}
        {rows === undefined && error === null && <Lines count={6} />}
        {rows?.length === 0 && (
          <Card>
            <Empty title={texts.noneTitle} text={texts.noneText} />
          </Card>
        )}
        {causes.map((entries) => (
          <Cause key={causeOf(entries[0])} entries={entries} />
        ))}
        {hasMore && <Everything />}
      </Stack>
    </>
  )
}

/** Entries with one fault in one field have one cause, whichever value each had. */
function causeOf(row: Refused | undefined): string {
  return `${row?.code} ${row?.field}`
}

/** Every refused entry, newest first, for more than the causes above are made of. */
function Everything() {
  const { refused: texts } = useTexts(EVENTS_TEXTS)
  const list = useRows(
    'GET /api/v1/events/rejected',
    { query: { limit: PAGE_ROWS } },
    { rowsOf: ({ rejected }) => rejected },
  )
  return (
    <Card title={texts.everything} inset="flush">
      {list.error !== null && <FailureNote error={list.error} onRetry={list.retry} />}
      <VirtualList label={texts.everything} className={styles.entries} list={list} empty={null}>
        {(row) => <Entry row={row} />}
      </VirtualList>
    </Card>
  )
}

const ENTRIES_SHOWN = 20

function Cause({ entries }: { readonly entries: readonly Refused[] }) {
  const { refused: texts } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const [isWhole, setIsWhole] = useState(false)
  const [newest] = entries
  if (newest === undefined) return null
  const cures: Readonly<Record<string, (field: string) => string>> = texts.cures
  const cure = cures[newest.code] ?? texts.cure
  return (
    <Card
      title={newest.message}
      aside={texts.times(entries.length, format.count(entries.length))}
      inset="flush"
    >
      <p className={styles.cure}>{cure(newest.field ?? texts.entry)}</p>
      <ol className={styles.entries}>
        {entries.slice(0, isWhole ? entries.length : ENTRIES_SHOWN).map((row) => (
          <li key={row.id}>
            <Entry row={row} />
          </li>
        ))}
      </ol>
      {entries.length > ENTRIES_SHOWN && !isWhole && (
        <p className={styles.cure}>
          <Button size="compact-sm" onClick={() => setIsWhole(true)}>
            {texts.others(format.count(entries.length - ENTRIES_SHOWN))}
          </Button>
        </p>
      )}
    </Card>
  )
}

function Entry({ row }: { readonly row: Refused }) {
  const { refused: texts } = useTexts(EVENTS_TEXTS)
  return (
    <details>
      <summary>
        <span className={styles.at}>
          <Time at={row.rejected_at} />
        </span>
        <code className={styles.cut}>{row.entry}</code>
      </summary>
      <p className="small">
        {row.message} {texts.place(row.index + 1)} <code>{row.code}</code>
      </p>
      <pre className={styles.whole}>{pretty(row.entry)}</pre>
    </details>
  )
}

/** A long entry is cut by the server, and is then no JSON. */
function pretty(entry: string): string {
  try {
    return JSON.stringify(JSON.parse(entry), null, 2)
  } catch {
    return entry
  }
}
