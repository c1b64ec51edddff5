import { NativeSelect, TextInput } from '@mantine/core'
import type { Subscription } from '../../client/api/common.ts'
import { Link, useSearchWords } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Pill, type PillTone } from '../kit/pill.tsx'
import { useRows } from '../kit/rows.ts'
import type { Column } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { useTyped } from '../kit/typing.ts'
import { VirtualTable } from '../kit/virtual-table.tsx'
import styles from './page.module.css'
import { DEVICES_TEXTS } from './texts.ts'

const PLATFORMS = ['android', 'ios', 'web'] as const
const STATES = ['live', 'unsubscribed', 'gone'] as const

/** All registered devices, newest first, by platform, state, tag and person. The filters are in the address. */
export function DeviceList() {
  const texts = useTexts(DEVICES_TEXTS)
  const [words] = useSearchWords()
  const platform = PLATFORMS.find((name) => name === words['platform'])
  const state = STATES.find((name) => name === words['state'])
  const query = {
    limit: PAGE_ROWS,
    ...(platform === undefined ? {} : { platform }),
    ...(state === undefined ? {} : { state }),
    ...(words['tag'] === undefined ? {} : { tag: words['tag'] }),
    ...(words['person'] === undefined ? {} : { user_id: words['person'] }),
  }
  const list = useRows(
    'GET /api/v1/subscriptions',
    { query },
    { rowsOf: ({ subscriptions }) => subscriptions },
  )
  const columns = useColumns()
  return (
    <Card title={texts.list} inset="flush">
      <Filters />
      {list.error !== null && <FailureNote error={list.error} onRetry={list.retry} />}
      <VirtualTable
        label={texts.list}
        columns={columns}
        list={list}
        empty={<NoDevice isFiltered={Object.keys(query).length > 1} />}
      />
    </Card>
  )
}

const PAGE_ROWS = 100

function Filters() {
  const texts = useTexts(DEVICES_TEXTS)
  const [words, change] = useSearchWords()
  return (
    <div className={styles.tools}>
      <NativeSelect
        label={texts.platform}
        value={words['platform'] ?? ''}
        onChange={({ currentTarget }) => change({ platform: currentTarget.value })}
        data={[
          { value: '', label: texts.all },
          ...PLATFORMS.map((value) => ({ value, label: texts.platforms[value] })),
        ]}
      />
      <NativeSelect
        label={texts.state}
        value={words['state'] ?? ''}
        onChange={({ currentTarget }) => change({ state: currentTarget.value })}
        data={[
          { value: '', label: texts.all },
          ...STATES.map((value) => ({ value, label: texts.states[value] })),
        ]}
      />
      <WordField label={texts.tag} value={words['tag'] ?? ''} onChange={(tag) => change({ tag })} />
      <WordField
        label={texts.person}
        value={words['person'] ?? ''}
        onChange={(person) => change({ person })}
      />
    </div>
  )
}

type WordFieldProps = {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A field whose word goes into the address when the reader stops typing. */
function WordField({ label, value, onChange }: WordFieldProps) {
  return <TextInput label={label} {...useTyped({ value, onChange })} />
}

const TONES: Readonly<Record<Subscription['state'], PillTone>> = {
  live: 'ok',
  unsubscribed: 'plain',
  gone: 'bad',
}

function useColumns(): readonly Column<Subscription>[] {
  const texts = useTexts(DEVICES_TEXTS)
  const { columns } = texts
  return [
    {
      name: columns.device,
      cell: ({ platform, browser, is_virtual: isVirtual }) => (
        <span className={styles.device}>
          {browser ?? texts.platforms[platform]}
          {isVirtual && <span className="faint tiny">{texts.virtual}</span>}
        </span>
      ),
    },
    {
      name: columns.person,
      cell: ({ user_id: userId }) =>
        userId === null ? (
          <span className="faint">{texts.nobody}</span>
        ) : (
          <Link to={`/people/${encodeURIComponent(userId)}`}>{userId}</Link>
        ),
    },
    { name: columns.tags, cell: ({ tags }) => tags.join(', ') },
    { name: columns.language, cell: ({ language }) => language ?? '' },
    {
      name: columns.state,
      cell: ({ state, state_reason: reason }) => (
        <span title={reason ?? undefined}>
          <Pill tone={TONES[state]}>{texts.states[state]}</Pill>
        </span>
      ),
    },
    { name: columns.since, cell: ({ state_since: since }) => <Time at={since} how="ago" /> },
  ]
}

function NoDevice({ isFiltered }: { readonly isFiltered: boolean }) {
  const { empty } = useTexts(DEVICES_TEXTS)
  if (isFiltered) return <Empty title={empty.title} text={empty.filtered} />
  return (
    <Empty title={empty.title} text={empty.text}>
      <a href="/docs/web-sdk">{empty.guide}</a>
    </Empty>
  )
}
