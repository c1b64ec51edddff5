import { Card } from '../kit/card.tsx'
import { useFormat } from '../kit/number.tsx'
import { useTexts } from '../kit/texts.tsx'
import { type Message, shareOf } from './message.ts'
import styles from './message-page.module.css'
import { MESSAGE_TEXTS } from './message-texts.ts'
import { OverTime } from './over-time.tsx'

/** How many clicked, and when. */
export function ClicksCard({ message }: { readonly message: Message }) {
  const { clicks: texts } = useTexts(MESSAGE_TEXTS)
  const format = useFormat()
  const since = message.sendAt ?? (message.kind === 'campaign' ? null : message.at)
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
        {since !== null && (message.kind === 'campaign' || message.clicked > 0) && (
          <OverTime message={message} metric="clicked" since={since} label={texts.chart} none={texts.none} />
        )}
        {since === null && <p className="small quiet">{texts.none}</p>}
        {message.notification !== null && <Receipts message={message} />}
      </Card>
    </div>
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
