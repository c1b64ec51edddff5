import { Link, useSearchWords } from '../kit/address.tsx'
import { AsOf } from '../kit/as-of.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { PLATFORM_LABELS } from '../kit/platform-labels.ts'
import { useRead } from '../kit/queries.ts'
import { useRows } from '../kit/rows.ts'
import type { Column } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { VirtualTable } from '../kit/virtual-table.tsx'
import { startOfDay, useBrandZone } from '../kit/zone.ts'
import styles from './page.module.css'
import { PEOPLE_TEXTS } from './texts.ts'

type OptOut = ReplyOf<'GET /api/v1/opt_outs'>['opt_outs'][number]

const PAGE_ROWS = 100

/** The people and devices that opted out and still are, the newest first; of today, or of all time. */
export function OptOuts() {
  const { optOuts: texts } = useTexts(PEOPLE_TEXTS)
  const [words, change] = useSearchWords()
  const isToday = words['since'] === 'today'
  const zone = useBrandZone()
  const query = { limit: PAGE_ROWS, ...(isToday && zone !== undefined ? { from: startOfDay(zone) } : {}) }
  const list = useRows(
    'GET /api/v1/opt_outs',
    { query },
    { rowsOf: ({ opt_outs: rows }) => rows, isEnabled: !isToday || zone !== undefined },
  )
  return (
    <Card
      title={isToday ? texts.today : texts.all}
      aside={
        <>
          {isToday && (
            <button type="button" className={styles.link} onClick={() => change({ since: undefined })}>
              {texts.showAll}
            </button>
          )}
          <AsOf at={list.readAt} />
        </>
      }
      inset="flush"
    >
      {list.error !== null && <FailureNote error={list.error} onRetry={list.retry} />}
      <VirtualTable
        label={isToday ? texts.today : texts.all}
        columns={useColumns()}
        list={list}
        empty={<Empty title={texts.emptyTitle} text={texts.emptyText} />}
      />
    </Card>
  )
}

function useColumns(): readonly Column<OptOut>[] {
  const texts = useTexts(PEOPLE_TEXTS)
  const { data } = useRead('GET /api/v1/topics', {})
  const titles = new Map((data?.topics ?? []).map(({ name, title }) => [name, title]))
  const { columns, everything, person } = texts.optOuts
  return [
    {
      name: columns.who,
      cell: ({ user_id: user }) =>
        user === null ? texts.anonymous : <Link to={`/people/${encodeURIComponent(user)}`}>{user}</Link>,
    },
    {
      name: columns.topic,
      cell: ({ topic }) => (topic === '*' ? everything : (titles.get(topic) ?? topic)),
    },
    {
      name: columns.where,
      cell: ({ platform }) => (
        <span className="quiet">{platform === null ? person : PLATFORM_LABELS[platform]}</span>
      ),
    },
    { name: columns.when, cell: ({ at }) => <Time at={at} /> },
  ]
}
