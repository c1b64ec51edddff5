import { Bars } from '../kit/bars.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useFormat } from '../kit/number.tsx'
import { useRead } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { exactOf, shortOf } from '../kit/time.tsx'
import { type Message, pollMsOf } from './message.ts'
import styles from './message-page.module.css'
import { MESSAGE_TEXTS } from './message-texts.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const BARS_MAX = 60
const POLL_MS = 5_000

/** The shortest span with which everything so far fits into the picture. */
function spanOf(ageMs: number): 'minute' | 'hour' | 'day' {
  if (ageMs < BARS_MAX * MINUTE_MS) return 'minute'
  return ageMs < BARS_MAX * HOUR_MS ? 'hour' : 'day'
}

type OverTimeProps = {
  readonly message: Message
  readonly metric: 'clicked' | 'goals'
  /** When the message was sent. */
  readonly since: string
  /** The name of the bars, and the sentence that stands there while there are none. */
  readonly label: string
  readonly none: string
  /** The address of the rows of a span; `to` is absent for the last one. */
  readonly rowsOf: (span: Span) => string
}

export type Span = { readonly from: string; readonly to: string | undefined }

/** The clicks or goals of a message from its sending on, a bar for each minute, hour or day. */
export function OverTime({ message, metric, since, label, none, rowsOf }: OverTimeProps) {
  const sentAt = new Date(since).getTime()
  const isSent = sentAt <= Date.now()
  const isMoving = pollMsOf(message) === 2_000
  const query = {
    metric,
    by: spanOf(Date.now() - sentAt),
    from: since,
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...(message.kind === 'campaign' ? { campaign_id: message.id } : { notification_id: message.id }),
  }
  const { data, error } = useRead(
    'GET /api/v1/series',
    { query },
    { isEnabled: isSent, keepsFormer: true, ...(isMoving ? { everyMs: POLL_MS } : {}) },
  )
  if (!isSent) return <p className="small quiet">{none}</p>
  if (error !== null) return <FailureNote error={error} />
  if (data === undefined) return <Lines count={4} />
  const { starts, lines } = data.series
  const counts = lines[0]?.counts ?? []
  if (counts.every((count) => count === 0)) return <p className={`small quiet ${styles.blank}`}>{none}</p>
  return <Drawn {...{ label, starts, counts, rowsOf }} />
}

type DrawnProps = Pick<OverTimeProps, 'label' | 'rowsOf'> & {
  readonly starts: readonly string[]
  readonly counts: readonly number[]
}

function Drawn({ label, starts, counts, rowsOf }: DrawnProps) {
  const { clicks: texts } = useTexts(MESSAGE_TEXTS)
  const format = useFormat()
  const { language } = useLanguage()
  const bars = starts.map((start, index) => ({
    label: exactOf(new Date(start), language),
    value: counts[index] ?? 0,
    shown: format.count(counts[index] ?? 0),
    to: rowsOf({ from: start, to: starts[index + 1] }),
  }))
  const middle = starts[Math.floor(starts.length / 2)]
  const ticks = [starts[0], ...(starts.length > 2 ? [middle] : [])]
    .filter((start) => start !== undefined)
    .map((start) => shortOf(new Date(start), language))
  return (
    <Bars
      label={label}
      bars={bars}
      ticks={[...ticks, texts.now]}
      table={{ open: texts.table, time: texts.time, count: texts.count }}
    />
  )
}
