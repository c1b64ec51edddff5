import { ActionIcon } from '@mantine/core'
import IconCopy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs'
import type { ReactNode } from 'react'
import { addressOf, Link, useGo } from '../kit/address.tsx'
import { dateFormat } from '../kit/formats.ts'
import { Icon } from '../kit/icon.tsx'
import { useMay } from '../kit/member.ts'
import { Count, useFormat } from '../kit/number.tsx'
import { Pill } from '../kit/pill.tsx'
import { useWrite } from '../kit/queries.ts'
import type { RowList } from '../kit/rows.ts'
import type { Column } from '../kit/table.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { VirtualTable } from '../kit/virtual-table.tsx'
import { addressOfMessage, type Message, shareOf } from './message.ts'
import styles from './page.module.css'
import { StatePill } from './state-pill.tsx'
import { MESSAGES_TEXTS } from './texts.ts'
import type { JourneySends, ListRow } from './use-list.ts'

type MessageTableProps = {
  readonly list: Pick<RowList<ListRow>, 'count' | 'rowAt' | 'hasMore' | 'look'>
  readonly empty: ReactNode
}

export function MessageTable({ list, empty }: MessageTableProps) {
  const texts = useTexts(MESSAGES_TEXTS)
  const mayWrite = useMay('push', 'draft')
  const { columns: names } = texts
  const columns: readonly Column<ListRow>[] = [
    { name: names.message, cell: (row) => <Name row={row} /> },
    {
      name: names.state,
      cell: (row) => (row.kind === 'message' ? <StatePill state={row.message.state} /> : null),
    },
    { name: names.audience, kind: 'number', cell: (row) => <Audience row={row} /> },
    { name: names.accepted, kind: 'number', cell: (row) => <Accepted row={row} /> },
    {
      name: names.clicks,
      kind: 'number',
      cell: (row) => (row.kind === 'message' ? <Clicks message={row.message} /> : null),
    },
    { name: names.when, cell: (row) => <When row={row} /> },
    ...(mayWrite
      ? [{ name: names.actions, cell: (row: ListRow): ReactNode => <Duplicate row={row} /> }]
      : []),
  ]
  return <VirtualTable label={texts.title} columns={columns} list={list} empty={empty} />
}

function Name({ row }: { readonly row: ListRow }) {
  const texts = useTexts(MESSAGES_TEXTS)
  if (row.kind === 'journey') return <JourneyName sends={row.sends} />
  const { message } = row
  const body = message.notification?.message ?? message.campaign?.content?.message ?? ''
  return (
    <span className={styles.name}>
      <Link to={addressOfMessage(message)}>{message.title === '' ? texts.untitled : message.title}</Link>
      {message.isTest && <Pill>{texts.test}</Pill>}
      {body !== message.title && <span className={`quiet ${styles.body}`}>{body}</span>}
    </span>
  )
}

function addressOfSends({ journey_id: id }: JourneySends): string {
  return addressOf('/messages', { source: 'journey', journey: String(id) })
}

/** Sends of a journey: the line leads to all of them. */
function JourneyName({ sends }: { readonly sends: JourneySends }) {
  const texts = useTexts(MESSAGES_TEXTS)
  const format = useFormat()
  const { language } = useLanguage()
  const day = dateFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  return (
    <span className={styles.name}>
      <Link to={addressOfSends(sends)}>{texts.journey(String(sends.journey_id))}</Link>
      <span className="quiet">
        {sends.step === null ? '' : `${sends.step} · `}
        <Link to={addressOfSends(sends)}>
          {texts.journeySends(sends.notifications, format.count(sends.notifications))}
        </Link>{' '}
        {texts.dayOf(day.format(new Date(sends.day)))}
      </span>
    </span>
  )
}

function Audience({ row }: { readonly row: ListRow }) {
  if (row.kind === 'journey') return <Count value={row.sends.audience} to={addressOfSends(row.sends)} />
  const { audience } = row.message
  if (audience === null) return <span className="faint">–</span>
  return <Count value={audience} to={addressOfMessage(row.message)} />
}

function Accepted({ row }: { readonly row: ListRow }) {
  const format = useFormat()
  const counts = row.kind === 'journey' ? row.sends : row.message
  const to =
    row.kind === 'journey'
      ? addressOfSends(row.sends)
      : addressOf(addressOfMessage(row.message), { state: 'accepted' })
  if (counts.audience === null) return <span className="faint">–</span>
  return (
    <>
      <Count value={counts.accepted} to={to} />
      <span className={styles.rate}>
        {format.share(shareOf({ part: counts.accepted, whole: counts.audience }))}
      </span>
    </>
  )
}

function Clicks({ message }: { readonly message: Message }) {
  const format = useFormat()
  if (message.accepted === 0) return <span className="faint">–</span>
  return (
    <>
      <Count
        value={message.clicked}
        to={`${addressOf(addressOfMessage(message), { receipt: 'clicked' })}#people`}
      />
      <span className={styles.rate}>
        {format.share(shareOf({ part: message.clicked, whole: message.accepted }))}
      </span>
    </>
  )
}

function When({ row }: { readonly row: ListRow }) {
  if (row.kind === 'journey') return null
  const { sendAt, at } = row.message
  return (
    <span className={`quiet ${styles.when}`}>
      <Time at={sendAt ?? at} />
    </span>
  )
}

/** A copy of a campaign is a draft, and opens where it is written. */
function Duplicate({ row }: { readonly row: ListRow }) {
  const texts = useTexts(MESSAGES_TEXTS)
  const go = useGo()
  const write = useWrite('POST /api/v1/campaigns/{campaign_id}/duplicate', {
    refreshes: ['GET /api/v1/campaigns'],
    onDone: ({ campaign }) => go(`/compose/${String(campaign.campaign_id)}`),
  })
  if (row.kind === 'journey' || row.message.kind !== 'campaign') return null
  const { id, title } = row.message
  return (
    <ActionIcon
      size={20}
      aria-label={texts.duplicateOf(title)}
      title={texts.duplicate}
      loading={write.isPending}
      onClick={() => write.mutate({ path: { campaign_id: id } })}
    >
      <Icon of={IconCopy} />
    </ActionIcon>
  )
}
