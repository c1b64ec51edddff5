import type { Campaign } from '../../client/api/campaigns.ts'
import { AsOf } from '../kit/as-of.tsx'
import { Card } from '../kit/card.tsx'
import { Amount, Count, useFormat } from '../kit/number.tsx'
import { useTexts } from '../kit/texts.tsx'
import { addressOfPeople } from './campaign-people.tsx'
import type { Message } from './message.ts'
import styles from './message-page.module.css'
import { MESSAGE_TEXTS } from './message-texts.ts'
import { OverTime } from './over-time.tsx'
import type { Results } from './variants-card.tsx'

type GoalCardProps = {
  readonly message: Message
  readonly campaign: Campaign
  readonly results: Results
  /** When the results were read, in milliseconds. */
  readonly asOf: number
}

/** The goal of the campaign: what counts for it, and what the campaign changed. */
export function GoalCard({ message, campaign, results, asOf }: GoalCardProps) {
  const { goal: texts } = useTexts(MESSAGE_TEXTS)
  const format = useFormat()
  const { goal } = campaign
  if (goal === undefined) return null
  const { attributed } = results
  // The list has the events and the value of each person.
  const people = addressOfPeople(campaign.campaign_id, { did: 'converted' })
  return (
    <Card title={texts.title} aside={<AsOf at={asOf} />}>
      <p className={`small quiet ${styles.above}`}>
        {texts.sentence(goal.event, format.count(goal.within_days))}
      </p>
      <dl className={styles.facts}>
        <div>
          <dt>{texts.people}</dt>
          <dd>
            <Count value={attributed.people} to={people} />
            <span className={styles.range}>{format.share(attributed.rate)}</span>
          </dd>
        </div>
        <div>
          <dt>{texts.events}</dt>
          <dd>
            <Count value={attributed.conversions} to={people} />
          </dd>
        </div>
        <div>
          <dt>{texts.value}</dt>
          <dd>
            <Amount value={Number(attributed.ltv)} to={people} />
          </dd>
        </div>
      </dl>
      {message.sendAt !== null && (
        <OverTime
          message={message}
          metric="goals"
          since={message.sendAt}
          label={texts.chart}
          none={texts.none}
          rowsOf={(span) => addressOfPeople(campaign.campaign_id, { did: 'converted', ...span })}
        />
      )}
      <p className={`small quiet ${styles.sentence}`}>
        <Uplift results={results} />
      </p>
    </Card>
  )
}

function Uplift({ results }: { readonly results: Results }) {
  const { goal: texts } = useTexts(MESSAGE_TEXTS)
  const format = useFormat()
  const { kind, sent, held, difference } = results.uplift
  if (kind === 'no_control') return <>{texts.noControl}</>
  const points = (share: number): string => format.amount(Math.round(share * 1000) / 10)
  if (kind === 'not_enough_data' || sent === undefined || held === undefined || difference === undefined) {
    return <>{texts.notEnough}</>
  }
  return (
    <>
      {texts.measured(format.share(sent.rate), format.share(held.rate))}{' '}
      {texts.change(points(difference.value), points(difference.low), points(difference.high))}
    </>
  )
}
