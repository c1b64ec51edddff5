import type { ReactNode } from 'react'
import { Link } from '../kit/address.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { useJourneyWords } from '../kit/journey-words.ts'
import { plainTitle } from '../kit/plain-title.ts'
import { useTexts } from '../kit/texts.tsx'
import { addressOfIdentity } from './person.ts'
import { PEOPLE_TEXTS } from './texts.ts'

type TimeLineRow = ReplyOf<'GET /api/v1/users/{user_id}/timeline'>['timeline'][number]

/** A line of the time line in words, with links to the things that it names. */
export function What({ row }: { readonly row: TimeLineRow }): ReactNode {
  const { event, delivery, receipt, journey, change, merge } = row
  if (event !== undefined) return <EventWords event={event} />
  if (delivery !== undefined) return <DeliveryWords delivery={delivery} />
  if (receipt !== undefined) return <ReceiptWords receipt={receipt} />
  if (journey !== undefined) return <JourneyWords journey={journey} />
  if (change !== undefined) return <ChangeWords change={change} />
  return merge === undefined ? null : <MergeWords merge={merge} />
}

type Of<Name extends keyof TimeLineRow> = NonNullable<TimeLineRow[Name]>

const SHOWN_ATTRIBUTES = 4

function EventWords({ event }: { readonly event: Of<'event'> }) {
  const shown = Object.entries(event.attributes).slice(0, SHOWN_ATTRIBUTES)
  const words = shown.map(([name, value]) => `${name} ${typeof value === 'object' ? '…' : String(value)}`)
  return (
    <>
      <b>{event.event_name}</b>
      <span className="quiet">{words.join(', ')}</span>
    </>
  )
}

function JourneyWords({ journey }: { readonly journey: Of<'journey'> }) {
  const say = useJourneyWords()
  return (
    <>
      <Link to={`/journeys/${journey.journey_id}`}>{journey.name}</Link>
      <span className="quiet">{say(journey)}</span>
    </>
  )
}

function MessageLink({ notification }: { readonly notification: Of<'delivery'>['notification'] }) {
  const { line } = useTexts(PEOPLE_TEXTS)
  const { id, title, campaign_id: campaign } = notification
  const to = campaign === null ? `/messages/notification/${id}` : `/messages/campaign/${campaign}`
  return <Link to={to}>{title === null ? line.untitled : plainTitle(title)}</Link>
}

function DeliveryWords({ delivery }: { readonly delivery: Of<'delivery'> }) {
  const { line } = useTexts(PEOPLE_TEXTS)
  const words = {
    accepted: line.accepted,
    expired: line.expired,
    failed: line.failed(delivery.reason ?? ''),
    cancelled: line.cancelled(delivery.reason ?? ''),
    retrying: line.retrying(delivery.reason ?? ''),
  }
  return (
    <>
      <MessageLink notification={delivery.notification} />
      <span className="quiet">{words[delivery.state]}</span>
    </>
  )
}

function ReceiptWords({ receipt }: { readonly receipt: Of<'receipt'> }) {
  const { line } = useTexts(PEOPLE_TEXTS)
  const { notification, receipt: kind, button } = receipt
  return (
    <>
      <MessageLink notification={notification} />
      <span className="quiet">
        {line.receipts[kind]}
        {button !== null && line.buttonNumber(button)}
      </span>
    </>
  )
}

function ChangeWords({ change }: { readonly change: Of<'change'> }) {
  const { line } = useTexts(PEOPLE_TEXTS)
  const more = [change.platform, change.topic, change.reason].filter((word) => word !== null)
  return (
    <>
      <span>{line[change.change]}</span>
      <span className="quiet">{more.join(', ')}</span>
    </>
  )
}

/** A person who was set free again has a page of their own. */
function MergeWords({ merge }: { readonly merge: Of<'merge'> }) {
  const { line } = useTexts(PEOPLE_TEXTS)
  const { did, person, user_ids: userIds } = merge
  const ids = userIds.length === 0 ? (person?.value ?? line.someone) : userIds.join(', ')
  return (
    <>
      <span>{did === 'merged' ? line.merged(ids) : line.unmerged(ids)}</span>
      {person !== null && <Link to={addressOfIdentity(person)}>{line.toPerson(person.value)}</Link>}
    </>
  )
}
