import { Button, SegmentedControl } from '@mantine/core'
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs'
import type { Segment } from '../../client/api/segments.ts'
import { Link, useGo, useSearchWords } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { FilterSentence } from '../kit/filter/filter-sentence.tsx'
import { Icon } from '../kit/icon.tsx'
import { KIT_TEXTS } from '../kit/kit-texts.ts'
import { useMay } from '../kit/member.ts'
import { Count } from '../kit/number.tsx'
import { Page } from '../kit/page.tsx'
import { useRows } from '../kit/rows.ts'
import type { Column } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { VirtualTable } from '../kit/virtual-table.tsx'
import styles from './page.module.css'
import { SEGMENT_TEXTS } from './texts.ts'

const STATES = ['live', 'archived'] as const
const PAGE_ROWS = 100

/** The segments of the brand: whom each says in words, and how many that are. */
export function SegmentsPage() {
  const texts = useTexts(SEGMENT_TEXTS)
  const [words, change] = useSearchWords()
  const state = STATES.find((name) => name === words['state']) ?? 'live'
  const query = { limit: PAGE_ROWS, archived: state === 'archived' }
  const list = useRows('GET /api/v1/segments', { query }, { rowsOf: ({ segments }) => segments })
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <CopyCurl endpoint="GET /api/v1/segments" input={{ query }} />
          <CreateButton />
        </>
      }
    >
      <div className={styles.tools}>
        <SegmentedControl
          aria-label={texts.state}
          value={state}
          onChange={(chosen) => change({ state: chosen === 'live' ? undefined : chosen })}
          data={STATES.map((name) => ({ value: name, label: texts.states[name] }))}
        />
      </div>
      <Card inset="flush">
        {list.error !== null && <FailureNote error={list.error} onRetry={list.retry} />}
        <VirtualTable
          label={texts.title}
          columns={useColumns()}
          list={list}
          empty={<NoSegments isArchive={state === 'archived'} />}
        />
      </Card>
    </Page>
  )
}

function useColumns(): readonly Column<Segment>[] {
  const texts = useTexts(SEGMENT_TEXTS)
  const kit = useTexts(KIT_TEXTS)
  const { columns } = texts
  return [
    {
      name: columns.name,
      cell: ({ segment_id: id, name }) => (
        <Link className={styles.name} to={`/segments/${id}`}>
          {name}
        </Link>
      ),
    },
    {
      name: columns.whom,
      cell: ({ filter }) => (
        <span className={`${styles.sentence} quiet`}>
          <FilterSentence filter={filter} />
        </span>
      ),
    },
    {
      name: columns.devices,
      kind: 'number',
      cell: ({ segment_id: id, size }) =>
        size === null ? '–' : <Count value={size} to={`/segments/${id}?show=all`} />,
    },
    {
      name: columns.asOf,
      cell: ({ sized_at: at }) => (
        <span className={`${styles.when} quiet`}>
          {at === null ? texts.notCounted : <Time at={at} how="ago" />}
          {at !== null && ` · ${kit.exact}`}
        </span>
      ),
    },
  ]
}

function CreateButton() {
  const texts = useTexts(SEGMENT_TEXTS)
  const go = useGo()
  if (!useMay('segments', 'draft')) return null
  return (
    <Button variant="filled" leftSection={<Icon of={IconPlus} />} onClick={() => go('/segments/new')}>
      {texts.create}
    </Button>
  )
}

function NoSegments({ isArchive }: { readonly isArchive: boolean }) {
  const texts = useTexts(SEGMENT_TEXTS)
  if (isArchive) return <Empty title={texts.noneArchived} text={texts.noneArchivedText} />
  return (
    <Empty
      title={texts.emptyTitle}
      text={texts.emptyText}
      drawing={<p className={styles.drawn}>{texts.sampleSentence}</p>}
    >
      <CreateButton />
    </Empty>
  )
}
