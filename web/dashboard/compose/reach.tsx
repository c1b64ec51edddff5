import { Fragment } from 'react'
import { Link } from '../kit/address.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { useFormat } from '../kit/number.tsx'
import { useRead } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { audienceAddress } from './audience-address.ts'
import type { Draft } from './draft.ts'
import styles from './page.module.css'
import { COMPOSE_TEXTS } from './texts.ts'

export type DryRun = ReplyOf<'POST /api/v1/campaigns/{campaign_id}/dry_run'>

/** The number of people as one says it. */
export function usePeople(): (count: number) => string {
  const format = useFormat()
  const { who } = useTexts(COMPOSE_TEXTS)
  return (count) => (count === 1 ? who.person : who.people(format.count(count)))
}

type ReachProps = {
  readonly dryRun: DryRun | undefined
  /** The number of the stored draft; null as long as nothing is stored. */
  readonly campaignId: string | null
}

/** How many people the message reaches, on how many devices: each number leads to them. */
export function Reach({ dryRun, campaignId }: ReachProps) {
  const { who } = useTexts(COMPOSE_TEXTS)
  const format = useFormat()
  const people = usePeople()
  if (dryRun === undefined || campaignId === null) return <span className="small quiet">{who.waiting}</span>
  const devices = dryRun.devices === 1 ? who.device : who.devices(format.count(dryRun.devices))
  return (
    <span className="small quiet num" aria-live="polite" data-reach={dryRun.people}>
      <b className={styles.strong}>
        <Way to={audienceAddress(campaignId, 'people')} count={dryRun.people}>
          {people(dryRun.people)}
        </Way>
      </b>{' '}
      <Way to={audienceAddress(campaignId, 'devices')} count={dryRun.devices}>
        {devices}
      </Way>{' '}
      · {who.exact}
    </span>
  )
}

type WayProps = { readonly to: string; readonly count: number; readonly children: string }

/** Words with a number, which lead to the rows that it counts, if there are any. */
function Way({ to, count, children }: WayProps) {
  return count === 0 ? <>{children}</> : <Link to={to}>{children}</Link>
}

type LeftOutProps = ReachProps & {
  readonly draft: Draft
  /** Told when a number is followed, by a dialog that would hide its people. */
  readonly onFollow?: () => void
}

/** The people of the audience who get nothing, before anything is sent. */
export function LeftOut({ draft, dryRun, campaignId, onFollow }: LeftOutProps) {
  const { who } = useTexts(COMPOSE_TEXTS)
  const format = useFormat()
  const { data } = useRead('GET /api/v1/brand', {})
  if (dryRun === undefined || campaignId === null) return null
  const { opted_out: optedOut, over_cap: overCap, cap } = dryRun.left_out
  const control = data?.brand.control_percent ?? 0
  const topic = draft.topic === '' ? who.anything : draft.topic
  const parts: readonly Part[] = [
    {
      name: 'held',
      words: who.heldOut(format.share(draft.holdoutPercent / 100)),
      count: draft.holdoutPercent,
    },
    { name: 'control', words: who.control(format.share(control / 100)), count: control },
    { name: 'opted_out', words: who.optedOut(format.count(optedOut), topic), count: optedOut },
    {
      name: 'over_cap',
      words: who.overCap(format.count(overCap ?? 0), format.count(cap ?? 0)),
      count: overCap ?? 0,
    },
  ]
  const shown = parts.filter(({ count }) => count > 0)
  return (
    <p className="small quiet num">
      {shown.length === 0 && who.nobody}
      {shown.map(({ name, words }, at) => (
        <Fragment key={name}>
          {at > 0 && ' · '}
          {name === 'opted_out' || name === 'over_cap' ? (
            <Link to={audienceAddress(campaignId, name)} onClick={onFollow}>
              {words}
            </Link>
          ) : (
            words
          )}
        </Fragment>
      ))}
    </p>
  )
}

/** A part of the audience that gets nothing. Shares are no numbers of rows, and lead nowhere. */
type Part = {
  readonly name: 'held' | 'control' | 'opted_out' | 'over_cap'
  readonly words: string
  readonly count: number
}
