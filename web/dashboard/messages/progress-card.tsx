import { audienceAddress } from '../compose/audience-address.ts'
import { addressOf, Link } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { dateFormat } from '../kit/formats.ts'
import { KIT_TEXTS } from '../kit/kit-texts.ts'
import { useMay } from '../kit/member.ts'
import { useFormat } from '../kit/number.tsx'
import { SumBar } from '../kit/sum-bar.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { shortOf } from '../kit/time.tsx'
import { addressOfMessage, type Counts, isOver, type Message } from './message.ts'
import styles from './message-page.module.css'
import { MESSAGE_TEXTS } from './message-texts.ts'

const COLORS = {
  accepted: 'var(--ok-fill)',
  failed: 'var(--bad-fill)',
  expired: 'var(--mute)',
  cancelled: 'var(--mute)',
  pending: 'var(--pend)',
} as const

const STATES = ['accepted', 'failed', 'expired', 'cancelled', 'pending'] as const

type ProgressProps = { readonly message: Message; readonly asOf: number; readonly rate: number | null }

/** The audience as the sum of what became of it. The parts always add up. */
export function ProgressCard({ message, asOf, rate }: ProgressProps) {
  const texts = useTexts(MESSAGE_TEXTS)
  const parts = STATES.map((state) => ({
    name: texts.sum[state],
    value: message[state],
    color: COLORS[state],
    // Devices that wait have no row yet.
    to: state === 'pending' ? undefined : rowsOf(message, state),
  }))
  return (
    <Card inset="flush">
      <div className={styles.progress}>
        <Size message={message} />
        <Pace message={message} asOf={asOf} rate={rate} />
      </div>
      <SumBar parts={parts} />
    </Card>
  )
}

/** The address of the rows of a state. */
function rowsOf(message: Message, state: keyof Counts): string {
  return `${addressOf(addressOfMessage(message), { state })}#people`
}

function Size({ message }: { readonly message: Message }) {
  const texts = useTexts(MESSAGE_TEXTS)
  const format = useFormat()
  const { audience, people } = message
  if (audience === null) {
    return (
      <span>
        {people !== null && (
          <b>
            <Planned message={message} people={people} />.{' '}
          </b>
        )}
        <span className="quiet">{texts.notChosen}</span>
      </span>
    )
  }
  const rows = `${addressOfMessage(message)}#people`
  return (
    <span>
      <b className="num">
        <Link to={rows}>{texts.devices(audience, format.count(audience))}</Link>
      </b>{' '}
      {people !== null && (
        <Link to={rows} className="quiet">
          {texts.ofPeople(people, format.count(people))}
        </Link>
      )}
    </span>
  )
}

/** The people that a campaign is for before its devices are chosen. Those who may write it can list them. */
function Planned({ message, people }: { readonly message: Message; readonly people: number }) {
  const texts = useTexts(MESSAGE_TEXTS)
  const format = useFormat()
  const mayList = useMay('push', 'draft')
  const words = texts.forPeople(people, format.count(people))
  return mayList && people > 0 ? (
    <Link to={audienceAddress(message.id, 'people')}>{words}</Link>
  ) : (
    <>{words}</>
  )
}

/** How fast it goes, when it ends or ended, and of when the counts are. */
function Pace({ message, asOf, rate }: ProgressProps) {
  const texts = useTexts(MESSAGE_TEXTS)
  const kit = useTexts(KIT_TEXTS)
  const format = useFormat()
  const { language } = useLanguage()
  const clock = dateFormat(language, { hour: 'numeric', minute: '2-digit', second: '2-digit' })
  const { finishedAt, sendAt, pending, campaign } = message
  const reached = campaign?.people_reached ?? null
  const end = rate === null ? null : new Date(asOf + (pending / rate) * 1000)
  const isWaiting = message.state === 'scheduled' && sendAt !== null
  const before = [
    rate === null ? null : texts.rate(format.count(rate)),
    end === null ? null : texts.ends(clock.format(end)),
    isWaiting ? texts.leaves(shortOf(new Date(sendAt), language)) : null,
  ]
  const after = [
    finishedAt === null ? null : texts.ended(shortOf(new Date(finishedAt), language)),
    `${kit.exact}, ${kit.asOf(clock.format(new Date(asOf)))}`,
  ]
  return (
    <span className="quiet num">
      {before.filter((word) => word !== null).map((word) => `${word} · `)}
      {isOver(message) && reached !== null && (
        <>
          <Reached message={message} reached={reached} /> ·{' '}
        </>
      )}
      {after.filter((word) => word !== null).join(' · ')}
    </span>
  )
}

/** The number of people reached leads to one row for each of them. */
function Reached({ message, reached }: { readonly message: Message; readonly reached: number }) {
  const texts = useTexts(MESSAGE_TEXTS)
  const format = useFormat()
  const words = texts.reached(reached, format.count(reached))
  if (reached === 0) return <>{words}</>
  return <Link to={`${addressOf(addressOfMessage(message), { per: 'person' })}#people`}>{words}</Link>
}
