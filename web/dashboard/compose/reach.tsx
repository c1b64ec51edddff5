import type { ReplyOf } from '../kit/call.ts'
import { useFormat } from '../kit/number.tsx'
import { useRead } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
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

/** How many people the message reaches, on how many devices. */
export function Reach({ dryRun }: { readonly dryRun: DryRun | undefined }) {
  const { who } = useTexts(COMPOSE_TEXTS)
  const format = useFormat()
  const people = usePeople()
  if (dryRun === undefined) return <span className="small quiet">{who.waiting}</span>
  const devices = dryRun.devices === 1 ? who.device : who.devices(format.count(dryRun.devices))
  return (
    <span className="small quiet num" aria-live="polite" data-reach={dryRun.people}>
      <b className={styles.strong}>{people(dryRun.people)}</b> {devices} · {who.exact}
    </span>
  )
}

type LeftOutProps = { readonly draft: Draft; readonly dryRun: DryRun | undefined }

/** The people of the audience who get nothing, before anything is sent. */
export function LeftOut({ draft, dryRun }: LeftOutProps) {
  const { who } = useTexts(COMPOSE_TEXTS)
  const format = useFormat()
  const { data } = useRead('GET /api/v1/brand', {})
  if (dryRun === undefined) return null
  const { opted_out: optedOut, over_cap: overCap, cap } = dryRun.left_out
  const control = data?.brand.control_percent ?? 0
  const parts = [
    ...(draft.holdoutPercent > 0 ? [who.heldOut(format.share(draft.holdoutPercent / 100))] : []),
    ...(control > 0 ? [who.control(format.share(control / 100))] : []),
    ...(optedOut > 0
      ? [who.optedOut(format.count(optedOut), draft.topic === '' ? who.anything : draft.topic)]
      : []),
    ...(overCap !== null && overCap > 0 && cap !== null
      ? [who.overCap(format.count(overCap), format.count(cap))]
      : []),
  ]
  return <p className="small quiet num">{parts.length === 0 ? who.nobody : parts.join(' · ')}</p>
}
