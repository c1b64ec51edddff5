import { RECEIPT_KINDS, type ReceiptKind } from '../../../src/rules/push.ts'
import { addressOf } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { Count, useFormat } from '../kit/number.tsx'
import { useTexts } from '../kit/texts.tsx'
import { addressOfMessage, type Message, shareOf } from './message.ts'
import styles from './message-page.module.css'
import { MESSAGE_TEXTS } from './message-texts.ts'
import { OverTime, type Span } from './over-time.tsx'

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
            <b className={styles.strong}>
              <Count value={message.clicked} to={rowsOf(message, 'clicked')} />
            </b>
            {message.accepted > 0 &&
              ` · ${texts.share(format.share(shareOf({ part: message.clicked, whole: message.accepted })))}`}
          </span>
        }
      >
        {since !== null && (message.kind === 'campaign' || message.clicked > 0) && (
          <OverTime
            {...{ message, since }}
            metric="clicked"
            label={texts.chart}
            none={texts.none}
            rowsOf={(span) => rowsOf(message, 'clicked', span)}
          />
        )}
        {since === null && <p className="small quiet">{texts.none}</p>}
        {message.notification !== null && <Receipts message={message} />}
      </Card>
    </div>
  )
}

/** The devices that reported it, at any time or in a span. */
function rowsOf(message: Message, receipt: ReceiptKind, span: Partial<Span> = {}): string {
  return `${addressOf(addressOfMessage(message), { receipt, ...span })}#people`
}

/** The reports of the devices of a single send. */
function Receipts({ message }: { readonly message: Message }) {
  const { clicks: texts } = useTexts(MESSAGE_TEXTS)
  const { notification } = message
  if (notification === null) return <p className="small quiet">{texts.none}</p>
  return (
    <dl className={styles.facts}>
      {RECEIPT_KINDS.map((kind) => (
        <div key={kind}>
          <dt>{texts[kind]}</dt>
          <dd>
            <Count value={notification[kind]} to={rowsOf(message, kind)} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
