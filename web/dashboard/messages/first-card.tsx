import { Button } from '@mantine/core'
import type { Campaign } from '../../client/api/campaigns.ts'
import { audienceAddress } from '../compose/audience-address.ts'
import { Link, useGo } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay, useMe } from '../kit/member.ts'
import { useFormat } from '../kit/number.tsx'
import { useRead, useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import styles from './page.module.css'
import { StatePill } from './state-pill.tsx'
import { MESSAGES_TEXTS } from './texts.ts'

const SHOWN = 20
const POLL_MS = 15_000

/** The campaigns that wait for somebody: for consent first, then drafts. Undefined until they came. */
export function useFirst(isShown: boolean): readonly Campaign[] | undefined {
  const asks = useRead(
    'GET /api/v1/campaigns',
    { query: { state: 'awaiting_approval', limit: SHOWN } },
    { everyMs: POLL_MS, isEnabled: isShown },
  )
  const drafts = useRead(
    'GET /api/v1/campaigns',
    { query: { state: 'draft', limit: SHOWN } },
    { isEnabled: isShown },
  )
  if (!isShown) return []
  if (asks.isPending || drafts.isPending) return undefined
  return [...(asks.data?.campaigns ?? []), ...(drafts.data?.campaigns ?? [])]
}

/** Nothing when no campaign waits. */
export function FirstCard({ campaigns }: { readonly campaigns: readonly Campaign[] }) {
  const texts = useTexts(MESSAGES_TEXTS)
  if (campaigns.length === 0) return null
  return (
    <Card title={texts.first.title} inset="flush">
      <ul className={styles.asks}>
        {campaigns.map((campaign) => (
          <li key={String(campaign.campaign_id)}>
            <Link to={`/messages/campaign/${String(campaign.campaign_id)}`}>{campaign.name}</Link>
            <StatePill state={campaign.state} />
            <Facts campaign={campaign} />
            <span className={styles.buttons}>
              {campaign.state === 'draft' ? (
                <Write campaign={campaign} />
              ) : (
                <Consent campaign={campaign} size="compact-sm" />
              )}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Facts({ campaign }: { readonly campaign: Campaign }) {
  const { first } = useTexts(MESSAGES_TEXTS)
  const format = useFormat()
  const { campaign_id: id, people, updated_at: updated, reason } = campaign
  const mayList = useMay('push', 'draft')
  const words = people === null ? '' : first.forPeople(people, format.count(people))
  return (
    <span className="quiet">
      {people !== null && (
        <>
          {mayList && people > 0 ? <Link to={audienceAddress(String(id), 'people')}>{words}</Link> : words} ·{' '}
        </>
      )}
      {reason === 'approval_refused' && `${first.refused} · `}
      <Time at={updated} how="ago" />
    </span>
  )
}

function Write({ campaign }: { readonly campaign: Campaign }) {
  const { first } = useTexts(MESSAGES_TEXTS)
  const go = useGo()
  if (!useMay('push', 'draft')) return null
  return (
    <Button size="compact-sm" onClick={() => go(`/compose/${String(campaign.campaign_id)}`)}>
      {first.write}
    </Button>
  )
}

/** Approve and refuse, for a member with consent who did not ask for it; a sentence for all others. */
export function Consent({
  campaign,
  size = 'sm',
}: {
  readonly campaign: Campaign
  readonly size?: 'sm' | 'compact-sm'
}) {
  const { first } = useTexts(MESSAGES_TEXTS)
  const mayConsent = useMay('approve', 'consent')
  const me = useMe().data?.member
  const refreshes = ['GET /api/v1/campaigns', 'GET /api/v1/campaigns/{campaign_id}'] as const
  const approve = useWrite('POST /api/v1/campaigns/{campaign_id}/approve', { refreshes })
  const refuse = useWrite('POST /api/v1/campaigns/{campaign_id}/refuse', { refreshes })
  if (campaign.requested_by === `member:${me?.id ?? ''}`) {
    return <span className="small quiet">{first.own}</span>
  }
  if (!mayConsent) return <span className="small quiet">{first.others}</span>
  const input = {
    path: { campaign_id: String(campaign.campaign_id) },
    query: { version: campaign.version },
  }
  const error = approve.error ?? refuse.error
  return (
    <>
      {error !== null && <FailureNote error={error} />}
      <Button size={size} loading={refuse.isPending} onClick={() => refuse.mutate(input)}>
        {first.refuse}
      </Button>
      <Button size={size} variant="filled" loading={approve.isPending} onClick={() => approve.mutate(input)}>
        {first.approve}
      </Button>
    </>
  )
}
