import { useQueries } from '@tanstack/react-query'
import { addressOf, Link } from '../kit/address.tsx'
import { call, type ReplyOf } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { Count, useFormat } from '../kit/number.tsx'
import { readKey } from '../kit/queries.ts'
import { type Column, Table } from '../kit/table.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { isOwnReason, wordsOf } from './cause-words.ts'
import { addressOfMessage, type Message, type MessagePart, pollMsOf } from './message.ts'
import styles from './message-page.module.css'
import { MESSAGE_TEXTS } from './message-texts.ts'

type Reason = ReplyOf<'GET /api/v1/notifications/{id}/reasons'>['reasons'][number]

type Cause = Reason & { readonly part: MessagePart; readonly reason: string }

const REASONS = 'GET /api/v1/notifications/{id}/reasons'
const REASON_POLL_MS = 4_000

/** Why devices did not get the message: the cause, where it came from, how many, and what to do. */
export function CausesCard({ message }: { readonly message: Message }) {
  const { wrong: texts } = useTexts(MESSAGE_TEXTS)
  const format = useFormat()
  const { causes, isComplete } = useCauses(message)
  const columns = useColumns(message)
  if (causes.length === 0) return null
  const devices = causes.reduce((sum, cause) => sum + cause.devices, 0)
  return (
    <Card
      title={texts.title}
      inset="flush"
      aside={
        <span className="num">
          {texts.of(format.count(devices), format.count(message.audience ?? devices))}
        </span>
      }
    >
      <Table label={texts.title} columns={columns} rows={causes} keyOf={keyOf} />
      {!isComplete && <p className={`small quiet ${styles.foot}`}>{texts.incomplete}</p>}
    </Card>
  )
}

function keyOf({ part, state, reason }: Cause): string {
  return `${part.id} ${state} ${reason}`
}

/** The reasons of all parts of the message, the most frequent first. */
function useCauses(message: Message): { readonly causes: readonly Cause[]; readonly isComplete: boolean } {
  const isMoving = pollMsOf(message) === 2_000
  const troubled = message.parts.filter(
    ({ failed, expired, cancelled, pending }) => failed + expired + cancelled + pending > 0,
  )
  const reads = useQueries({
    queries: troubled.map((part) => ({
      // An end of sending is a reason to look once more.
      queryKey: [...readKey(REASONS, { path: { id: part.id } }), isMoving],
      queryFn: async (): Promise<ReplyOf<typeof REASONS>> => call(REASONS, { path: { id: part.id } }),
      ...(isMoving ? { refetchInterval: REASON_POLL_MS } : {}),
    })),
  })
  const causes = troubled.flatMap((part, index) =>
    (reads[index]?.data?.reasons ?? []).map((row) => ({ ...row, part, reason: row.reason ?? row.state })),
  )
  return {
    causes: causes.toSorted((one, other) => other.devices - one.devices),
    isComplete: reads.every(({ data }) => data?.is_complete ?? true),
  }
}

const SERVICES = { android: 'FCM', ios: 'APNs', web: 'Web Push' } as const

function useColumns(message: Message): readonly Column<Cause>[] {
  const { wrong: texts } = useTexts(MESSAGE_TEXTS)
  const { language } = useLanguage()
  return [
    {
      name: texts.cause,
      cell: ({ reason, state }) => (
        <>
          {wordsOf(reason, language).cause}
          {state === 'retrying' && <span className="quiet"> · {texts.trying}</span>}
        </>
      ),
    },
    {
      name: texts.where,
      cell: ({ reason, part }) => (
        <span className="quiet">
          {isOwnReason(reason) ? texts.own : SERVICES[part.platform]}, {reason}
        </span>
      ),
    },
    {
      name: texts.devices,
      kind: 'number',
      cell: ({ devices, reason, state, part }) => (
        <Count
          value={devices}
          to={`${addressOf(addressOfMessage(message), { part: part.id, state, reason })}#people`}
        />
      ),
    },
    { name: texts.cure, cell: ({ reason }) => <Cure reason={reason} /> },
  ]
}

function Cure({ reason }: { readonly reason: string }) {
  const { wrong: texts } = useTexts(MESSAGE_TEXTS)
  const { language } = useLanguage()
  const { cure, settings } = wordsOf(reason, language)
  return (
    <>
      {cure} {settings !== undefined && <Link to={`/settings/${settings}`}>{texts.settings}</Link>}
    </>
  )
}
