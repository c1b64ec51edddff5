import { Link } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { useFormat } from '../kit/number.tsx'
import type { Need } from '../kit/overview.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import styles from './needs.module.css'
import { HOME_TEXTS } from './texts.ts'

/** One line for each thing that waits for a person: what, why, and the button. */
export function Needs({ needs }: { readonly needs: readonly Need[] | undefined }) {
  const texts = useTexts(HOME_TEXTS)
  return (
    <Card title={texts.needs.title} inset={needs?.length === 0 ? 'padded' : 'flush'}>
      {needs === undefined && (
        <div className={styles.waiting}>
          <Lines count={2} />
        </div>
      )}
      {needs?.length === 0 && <p className="quiet">{texts.needs.none}</p>}
      {needs !== undefined && needs.length > 0 && (
        <ul className={styles.list}>
          {needs.map((need) => (
            <NeedLine key={keyOf(need)} need={need} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function keyOf(need: Need): string {
  if (need.kind === 'channel') return `channel ${need.channel.platform}`
  return need.kind === 'approval' ? `approval ${need.campaignId}` : need.kind
}

function NeedLine({ need }: { readonly need: Need }) {
  const { what, why, act } = useWords(need)
  return (
    <li className={styles.need}>
      <span className={styles.mark} aria-hidden />
      <span className={styles.words}>
        <b>{what}</b>
        <span className="quiet small">{why}</span>
      </span>
      {act !== null && (
        <Link to={act.to} className={styles.act}>
          {act.label}
        </Link>
      )}
    </li>
  )
}

type Words = {
  readonly what: string
  readonly why: string
  readonly act: { readonly label: string; readonly to: string } | null
}

function useWords(need: Need): Words {
  const { needs } = useTexts(HOME_TEXTS)
  const format = useFormat()
  if (need.kind === 'channel') {
    const { platform, state, reason, advice } = need.channel
    return {
      what: needs.channel[state](needs.platforms[platform]),
      why: [reason, advice].filter((text) => text !== null).join(' · '),
      act: { label: needs.channelDo, to: '/settings/channels' },
    }
  }
  if (need.kind === 'held') return { what: needs.held, why: needs.heldCause, act: null }
  if (need.kind === 'queue') {
    const minutes = format.count(Math.max(1, Math.floor(need.seconds / 60)))
    const act = { label: needs.queueDo, to: '/messages' }
    return { what: needs.queue(minutes), why: needs.queueCause, act }
  }
  if (need.kind === 'approval') {
    const act = { label: needs.approvalDo, to: `/messages/campaign/${need.campaignId}` }
    return { what: needs.approval(need.name), why: needs.approvalCause, act }
  }
  if (need.kind === 'refused') {
    const count = `${format.count(need.count)}${need.isCapped ? '+' : ''}`
    const act = { label: needs.refusedDo, to: '/events/refused' }
    return { what: needs.refused(count), why: needs.refusedCause, act }
  }
  const act = { label: needs.conflictsDo, to: '/events/schema' }
  return { what: needs.conflicts(format.count(need.count)), why: needs.conflictsCause, act }
}
