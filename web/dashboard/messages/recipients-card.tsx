import { Button, Select, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useState } from 'react'
import { RECEIPT_KINDS } from '../../../src/rules/push.ts'
import { addressOf, useGo, useSearchWords } from '../kit/address.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useFormat } from '../kit/number.tsx'
import { Pill, type PillTone } from '../kit/pill.tsx'
import { PLATFORM_LABELS } from '../kit/platform-labels.ts'
import { refresh } from '../kit/queries.ts'
import { useRows } from '../kit/rows.ts'
import type { Column } from '../kit/table.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { VirtualTable } from '../kit/virtual-table.tsx'
import { CampaignPeople, hasPeopleWords } from './campaign-people.tsx'
import { wordsOf } from './cause-words.ts'
import { isOver, type Message, type MessagePart } from './message.ts'
import styles from './message-page.module.css'
import { MESSAGE_TEXTS } from './message-texts.ts'
import { RecipientName } from './recipient-name.tsx'

type Delivery = ReplyOf<'GET /api/v1/notifications/{id}/deliveries'>['deliveries'][number]

const STATES = ['accepted', 'retrying', 'failed', 'expired', 'cancelled'] as const
const PAGE_ROWS = 100
const ROWS_POLL_MS = 5_000

/** The recipients, one row a device, each with a way to the person's "Why not?". */
export function RecipientsCard({ message }: { readonly message: Message }) {
  const { people: texts } = useTexts(MESSAGE_TEXTS)
  const [words] = useSearchWords()
  const part = message.parts.find(({ id }) => id === words['part']) ?? largestOf(message.parts)
  if (message.campaign !== null && hasPeopleWords(words))
    return <CampaignPeople campaign={message.campaign} />
  return (
    <div id="people">
      <Card title={texts.title} inset="flush" aside={<Lookup message={message} />}>
        {part === undefined ? (
          <Empty title={texts.none} text={texts.noneText} />
        ) : (
          <Rows message={message} part={part} />
        )}
      </Card>
    </div>
  )
}

function largestOf(parts: readonly MessagePart[]): MessagePart | undefined {
  return parts.toSorted((one, other) => (other.audience ?? 0) - (one.audience ?? 0))[0]
}

function Rows({ message, part }: { readonly message: Message; readonly part: MessagePart }) {
  const { people: texts } = useTexts(MESSAGE_TEXTS)
  const [words] = useSearchWords()
  const state = STATES.find((name) => name === words['state'])
  const { reason = '' } = words
  const receipt = RECEIPT_KINDS.find((name) => name === words['receipt'])
  const query = {
    limit: PAGE_ROWS,
    ...(state && { state }),
    ...(reason !== '' && { reason }),
    ...(receipt && { receipt }),
  }
  const list = useRows(
    'GET /api/v1/notifications/{id}/deliveries',
    { path: { id: part.id }, query },
    { rowsOf: ({ deliveries }) => deliveries, ...(isOver(message) ? {} : { everyMs: ROWS_POLL_MS }) },
  )
  useEffect(() => void refresh('GET /api/v1/notifications/{id}/deliveries'), [message.state])
  const columns = useColumns(message)
  return (
    <>
      <Narrow message={message} part={part} />
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

function Narrow({ message, part }: { readonly message: Message; readonly part: MessagePart }) {
  const { people: texts, clicks } = useTexts(MESSAGE_TEXTS)
  const { language } = useLanguage()
  const [words, change] = useSearchWords()
  const { reason = '' } = words
  const state = STATES.find((name) => name === words['state']) ?? ''
  const receipt = RECEIPT_KINDS.find((name) => name === words['receipt'])
  return (
    <div className={styles.narrow}>
      {message.parts.length > 1 && (
        <Select
          aria-label={texts.platform}
          allowDeselect={false}
          data={message.parts.map(({ id, platform }) => ({ value: id, label: PLATFORM_LABELS[platform] }))}
          value={part.id}
          onChange={(value) => change({ part: value ?? '', reason: '' })}
        />
      )}
      <Select
        aria-label={texts.state}
        allowDeselect={false}
        data={[
          { value: '', label: texts.all },
          ...STATES.map((name) => ({ value: name, label: texts.states[name] })),
        ]}
        value={state}
        onChange={(value) => change({ state: value ?? '', reason: '' })}
      />
      {reason !== '' && (
        <Button size="compact-sm" onClick={() => change({ reason: '' })} rightSection="×">
          {texts.reason(wordsOf(reason, language).cause)}
        </Button>
      )}
      {receipt !== undefined && (
        <Button size="compact-sm" onClick={() => change({ receipt: '' })} rightSection="×">
          {texts.reason(clicks[receipt])}
        </Button>
      )}
    </div>
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
    {
      name: texts.when,
      cell: ({ at }) => (
        <span className={`quiet ${styles.when}`}>
          <Time at={at} />
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
