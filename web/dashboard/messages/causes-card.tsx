import { useQueries } from '@tanstack/react-query'
import { addressOf, Link } from '../kit/address.tsx'
import { call, type ReplyOf } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { Count, useFormat } from '../kit/number.tsx'
import { PLATFORM_LABELS } from '../kit/platform-labels.ts'
import { readKey } from '../kit/queries.ts'
import { type Column, Table } from '../kit/table.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { isOwnReason, wordsOf } from './cause-words.ts'
import { addressOfMessage, type Message, type MessagePart, pollMsOf } from './message.ts'
import styles from './message-page.module.css'
import { MESSAGE_TEXTS } from './message-texts.ts'

type Reason = ReplyOf<'GET /api/v1/notifications/{id}/reasons'>['reasons'][number]

/** One reason of one part of the message: the rows that a number leads to. */
type Source = Reason & { readonly part: MessagePart; readonly reason: string }

/** Reasons that mean the same, wherever they came from. */
type Cause = { readonly key: string; readonly devices: number; readonly sources: readonly Source[] }

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
      <Table label={texts.title} columns={columns} rows={causes} keyOf={({ key }) => key} />
      {!isComplete && <p className={`small quiet ${styles.foot}`}>{texts.incomplete}</p>}
    </Card>
  )
}

/** The causes over all parts of the message, the most frequent first. */
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
  const sources = troubled.flatMap((part, index) =>
    (reads[index]?.data?.reasons ?? []).map((row) => ({ ...row, part, reason: row.reason ?? row.state })),
  )
  return { causes: grouped(sources), isComplete: reads.every(({ data }) => data?.is_complete ?? true) }
}

function grouped(sources: readonly Source[]): readonly Cause[] {
  // Messages that are tried again are no failures yet.
  const keyOf = ({ reason, state }: Source): string =>
    `${wordsOf(reason, 'en').cause} ${state === 'retrying' ? state : ''}`
  const causes = [...Map.groupBy(sources, keyOf)].map(([key, group]) => ({
    key,
    devices: group.reduce((sum, { devices }) => sum + devices, 0),
    sources: group.toSorted((one, other) => other.devices - one.devices),
  }))
  return causes.toSorted((one, other) => other.devices - one.devices)
}

const SERVICES = { android: 'FCM', ios: 'APNs', web: 'Web Push' } as const

function useColumns(message: Message): readonly Column<Cause>[] {
  const { wrong: texts } = useTexts(MESSAGE_TEXTS)
  const { language } = useLanguage()
  return [
    {
      name: texts.cause,
      cell: ({ sources: [first] }) =>
        first !== undefined && (
          <span className={styles.cause}>
            {wordsOf(first.reason, language).cause}
            {first.state === 'retrying' && <span className="quiet"> · {texts.trying}</span>}
          </span>
        ),
    },
    {
      name: texts.where,
      cell: ({ sources }) =>
        sources.map((source) => (
          <span key={`${source.part.id} ${source.state} ${source.reason}`} className={styles.where}>
            {isOwnReason(source.reason)
              ? `${texts.own}, ${PLATFORM_LABELS[source.part.platform]}`
              : SERVICES[source.part.platform]}
            , {source.reason}
            {sources.length > 1 && ' · '}
            {sources.length > 1 && <Count value={source.devices} to={rowsOf(message, source)} />}
          </span>
        )),
    },
    {
      name: texts.devices,
      kind: 'number',
      cell: ({ devices, sources: [first, ...others] }) => (
        <Count
          value={devices}
          to={first === undefined || others.length > 0 ? undefined : rowsOf(message, first)}
        />
      ),
    },
    {
      name: texts.cure,
      cell: ({ sources: [first] }) => first !== undefined && <Cure reason={first.reason} />,
    },
  ]
}

/** The address of the devices with this reason. */
function rowsOf(message: Message, { part, state, reason }: Source): string {
  // A row without a reason is grouped by its state, which no row has as its reason.
  const words = { part: part.id, state, reason: reason === state ? undefined : reason }
  return `${addressOf(addressOfMessage(message), words)}#people`
}

function Cure({ reason }: { readonly reason: string }) {
  const { wrong: texts } = useTexts(MESSAGE_TEXTS)
  const { language } = useLanguage()
  const { cure, settings } = wordsOf(reason, language)
  return (
    <span className={styles.cause}>
      {cure} {settings !== undefined && <Link to={`/settings/${settings}`}>{texts.settings}</Link>}
    </span>
  )
}
