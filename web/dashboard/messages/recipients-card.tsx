import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useState } from 'react'
import { addressOf, useGo, useSearchWords } from '../kit/address.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useFormat } from '../kit/number.tsx'
import { Pill, type PillTone } from '../kit/pill.tsx'
import { PLATFORM_LABELS } from '../kit/platform-labels.ts'
import { refresh } from '../kit/queries.ts'
import { type RowList, useRows } from '../kit/rows.ts'
import type { Column } from '../kit/table.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { VirtualTable } from '../kit/virtual-table.tsx'
import { CampaignPeople, hasPeopleWords } from './campaign-people.tsx'
import { wordsOf } from './cause-words.ts'
import { isOver, type Message, type MessagePart } from './message.ts'
import styles from './message-page.module.css'
import { MESSAGE_TEXTS } from './message-texts.ts'
import { Narrow, useNarrowing, usePerPerson } from './narrow.tsx'
import { RecipientName } from './recipient-name.tsx'

type Delivery = ReplyOf<typeof PART>['deliveries'][number] &
  Partial<Pick<ReplyOf<typeof WHOLE>['deliveries'][number], 'platform'>>

const PAGE_ROWS = 100
const ROWS_POLL_MS = 5_000

/** The recipients, one row a device, each with a way to the person's "Why not?". */
export function RecipientsCard({ message }: { readonly message: Message }) {
  const { people: texts } = useTexts(MESSAGE_TEXTS)
  const [words] = useSearchWords()
  if (message.campaign !== null && hasPeopleWords(words))
    return <CampaignPeople campaign={message.campaign} />
  return (
    <div id="people">
      <Card title={texts.title} inset="flush" aside={<Lookup message={message} />}>
        {message.parts.length === 0 ? (
          <Empty title={texts.none} text={texts.noneText} />
        ) : (
          <Rows message={message} />
        )}
      </Card>
    </div>
  )
}

/** The rows of the platform that the address names, or else of all platforms of a campaign. */
function Rows({ message }: { readonly message: Message }) {
  const [words] = useSearchWords()
  const part = message.parts.find(({ id }) => id === words['part'])
  if (message.campaign === null) return <PartRows message={message} part={message.parts[0]} />
  if (part !== undefined) return <PartRows message={message} part={part} />
  return <CampaignRows message={message} />
}

const PART = 'GET /api/v1/notifications/{id}/deliveries'
const WHOLE = 'GET /api/v1/campaigns/{campaign_id}/deliveries'

function PartRows({ message, part }: { readonly message: Message; readonly part: MessagePart | undefined }) {
  const input = { path: { id: part?.id ?? '' }, query: { limit: PAGE_ROWS, ...useNarrowing() } }
  const list = useRows(PART, input, {
    rowsOf: ({ deliveries }) => deliveries,
    isEnabled: part !== undefined,
    ...pollOf(message),
  })
  useEffect(() => void refresh(PART), [message.state])
  return <Drawn message={message} list={list} />
}

function CampaignRows({ message }: { readonly message: Message }) {
  const isByPerson = usePerPerson(message)
  const narrowing = useNarrowing()
  const wanted = isByPerson ? ({ per: 'person' } as const) : narrowing
  const input = { path: { campaign_id: message.id }, query: { limit: PAGE_ROWS, ...wanted } }
  const list = useRows(WHOLE, input, { rowsOf: ({ deliveries }) => deliveries, ...pollOf(message) })
  useEffect(() => void refresh(WHOLE), [message.state])
  return <Drawn message={message} list={list} />
}

function pollOf(message: Message): { readonly everyMs?: number } {
  return isOver(message) ? {} : { everyMs: ROWS_POLL_MS }
}

type DrawnProps = { readonly message: Message; readonly list: RowList<Delivery> }

function Drawn({ message, list }: DrawnProps) {
  const { people: texts } = useTexts(MESSAGE_TEXTS)
  const columns = useColumns(message)
  return (
    <>
      <Narrow message={message} />
      {list.error !== null && <FailureNote error={list.error} />}
      <VirtualTable
        label={texts.title}
        columns={columns}
        list={list}
        empty={<Empty title={texts.none} text={texts.noneText} />}
      />
    </>
  )
}

function whyOf({ kind, id }: Message): string {
  return `${kind}:${id}`
}

const TONES: Readonly<Record<Delivery['state'], PillTone>> = {
  accepted: 'ok',
  retrying: 'live',
  failed: 'bad',
  expired: 'plain',
  cancelled: 'plain',
}

function useColumns(message: Message): readonly Column<Delivery>[] {
  const { people: texts } = useTexts(MESSAGE_TEXTS)
  const { language } = useLanguage()
  const format = useFormat()
  const [words] = useSearchWords()
  const chosen = message.parts.find(({ id }) => id === words['part'])
  const platform: Column<Delivery> = {
    name: texts.platform,
    cell: ({ platform: own = chosen?.platform }) => own !== undefined && PLATFORM_LABELS[own],
  }
  return [
    { name: texts.person, cell: (row) => <Person row={row} why={whyOf(message)} /> },
    {
      name: texts.outcome,
      cell: ({ state, reason }) => (
        <span className={styles.outcome}>
          <Pill tone={TONES[state]}>{texts.states[state]}</Pill>{' '}
          {reason !== null && <span className="quiet">{wordsOf(reason, language).cause}</span>}
        </span>
      ),
    },
    { name: texts.attempts, kind: 'number', cell: ({ attempt }) => format.count(attempt) },
    ...(message.parts.length > 1 ? [platform] : []),
    {
      name: texts.when,
      cell: ({ at, reported_at: reportedAt }) => (
        <span className={`quiet ${styles.when}`}>
          <Time at={reportedAt ?? at} />
        </span>
      ),
    },
  ]
}

function Person({ row, why }: { readonly row: Delivery; readonly why: string }) {
  const { nobody, erased } = useTexts(MESSAGE_TEXTS).people
  const { user_id: userId, subscription_id: device } = row
  return <RecipientName {...{ userId, device, why, nobody }} gone={erased} />
}

/** Anybody can be looked up, also those whom the message never was for. */
function Lookup({ message }: { readonly message: Message }) {
  const { people: texts } = useTexts(MESSAGE_TEXTS)
  const go = useGo()
  const [typed, setTyped] = useState('')
  const look = (event: FormEvent): void => {
    event.preventDefault()
    const userId = typed.trim()
    if (userId !== '') go(addressOf(`/people/${encodeURIComponent(userId)}`, { why: whyOf(message) }))
  }
  return (
    <form className={styles.lookup} onSubmit={look}>
      <TextInput
        aria-label={texts.find}
        placeholder={texts.findHint}
        maxLength={255}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Button type="submit">{texts.why}</Button>
    </form>
  )
}
