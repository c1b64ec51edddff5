import { Button } from '@mantine/core'
import type { ReplyOf } from '../kit/call.ts'
import { Card, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { KIT_TEXTS } from '../kit/kit-texts.ts'
import { useFormat } from '../kit/number.tsx'
import { useReadPages } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import styles from './refused.module.css'
import { EVENTS_TEXTS } from './texts.ts'
import tools from './tools.module.css'

type Refused = ReplyOf<'GET /api/v1/events/rejected'>['rejected'][number]

const PAGE_ROWS = 100

/** The entries that were refused, by cause: the cause, where it came from, what to do. */
export function RefusedView() {
  const { refused: texts } = useTexts(EVENTS_TEXTS)
  const { more } = useTexts(KIT_TEXTS)
  const format = useFormat()
  const pages = useReadPages('GET /api/v1/events/rejected', { query: { limit: PAGE_ROWS } })
  const rows = pages.data?.pages.flatMap(({ rejected }) => rejected)
  const causes = rows === undefined ? [] : [...Map.groupBy(rows, causeOf).values()]
  const count = rows?.length ?? 0
  const said = pages.hasNextPage ? texts.newest(format.count(count)) : texts.all(count, format.count(count))
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
        {pages.error !== null && <FailureNote error={pages.error} onRetry={() => void pages.refetch()} />}
        {rows === undefined && pages.error === null && <Lines count={6} />}
        {rows?.length === 0 && (
          <Card>
            <Empty title={texts.noneTitle} text={texts.noneText} />
          </Card>
        )}
        {causes.map((entries) => (
          <Cause key={causeOf(entries[0])} entries={entries} />
        ))}
        {pages.hasNextPage && (
          <Button onClick={() => void pages.fetchNextPage()} loading={pages.isFetchingNextPage}>
            {more}
          </Button>
        )}
      </Stack>
    </>
  )
}

/** Entries with one fault in one field have one cause, whichever value each had. */
function causeOf(row: Refused | undefined): string {
  return `${row?.code} ${row?.field}`
}

const ENTRIES_SHOWN = 20

function Cause({ entries }: { readonly entries: readonly Refused[] }) {
  const { refused: texts } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
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
        {entries.slice(0, ENTRIES_SHOWN).map((row) => (
          <li key={row.id}>
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
          </li>
        ))}
      </ol>
      {entries.length > ENTRIES_SHOWN && (
        <p className={`${styles.cure} quiet`}>{texts.others(format.count(entries.length - ENTRIES_SHOWN))}</p>
      )}
    </Card>
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
