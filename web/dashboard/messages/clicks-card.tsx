import { Bars } from '../kit/bars.tsx'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useFormat } from '../kit/number.tsx'
import { useRead } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { exactOf, shortOf } from '../kit/time.tsx'
import { type Message, pollMsOf, shareOf } from './message.ts'
import styles from './message-page.module.css'
import { MESSAGE_TEXTS } from './message-texts.ts'

/** How many clicked, and when. */
export function ClicksCard({ message }: { readonly message: Message }) {
  const { clicks: texts } = useTexts(MESSAGE_TEXTS)
  const format = useFormat()
  return (
    <div id="clicks">
      <Card
        title={texts.title}
        aside={
          <span className="num">
            <b className={styles.strong}>{format.count(message.clicked)}</b>
            {message.accepted > 0 &&
              ` · ${texts.share(format.share(shareOf({ part: message.clicked, whole: message.accepted })))}`}
          </span>
        }
      >
        {message.kind === 'campaign' && message.sendAt !== null ? (
          <Chart message={message} since={message.sendAt} />
        ) : (
          <Receipts message={message} />
        )}
      </Card>
    </div>
  )
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const BARS_MAX = 60

/** The shortest span with which all clicks so far fit into the picture. */
function spanOf(ageMs: number): 'minute' | 'hour' | 'day' {
  if (ageMs < BARS_MAX * MINUTE_MS) return 'minute'
  return ageMs < BARS_MAX * HOUR_MS ? 'hour' : 'day'
}

const CLICK_POLL_MS = 5_000

function Chart({ message, since }: { readonly message: Message; readonly since: string }) {
  const { clicks: texts } = useTexts(MESSAGE_TEXTS)
  const format = useFormat()
  const { language } = useLanguage()
  const sentAt = new Date(since).getTime()
  const isSent = sentAt <= Date.now()
  const isMoving = pollMsOf(message) === 2_000
  const by = spanOf(Date.now() - sentAt)
  const query = {
    metric: 'clicked',
    by,
    campaign_id: message.id,
    from: since,
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
  const { data, error } = useRead(
    'GET /api/v1/series',
    { query },
    { isEnabled: isSent, keepsFormer: true, ...(isMoving ? { everyMs: CLICK_POLL_MS } : {}) },
  )
  if (!isSent) return <p className="small quiet">{texts.none}</p>
  if (error !== null) return <FailureNote error={error} />
  if (data === undefined) return <Lines count={4} />
  const { starts, lines } = data.series
  const counts = lines[0]?.counts ?? []
  if (counts.every((count) => count === 0))
    return <p className={`small quiet ${styles.blank}`}>{texts.none}</p>
  const bars = starts.map((start, index) => ({
    label: exactOf(new Date(start), language),
    value: counts[index] ?? 0,
    shown: format.count(counts[index] ?? 0),
  }))
  const middle = starts[Math.floor(starts.length / 2)]
  const ticks = [starts[0], ...(starts.length > 2 ? [middle] : [])]
    .filter((start) => start !== undefined)
    .map((start) => shortOf(new Date(start), language))
  return (
    <Bars
      label={texts.chart}
      bars={bars}
      ticks={[...ticks, texts.now]}
      table={{ open: texts.table, time: texts.time, count: texts.count }}
    />
  )
}

const KINDS = ['received', 'clicked', 'dismissed', 'button'] as const

/** The reports of the devices of a single send. */
function Receipts({ message }: { readonly message: Message }) {
  const { clicks: texts } = useTexts(MESSAGE_TEXTS)
  const format = useFormat()
  const { notification } = message
  if (notification === null) return <p className="small quiet">{texts.none}</p>
  return (
    <dl className={styles.facts}>
      {KINDS.map((kind) => (
        <div key={kind}>
          <dt>{texts[kind]}</dt>
          <dd className="num">{format.count(notification[kind])}</dd>
        </div>
      ))}
    </dl>
  )
}
