import { Select } from '@mantine/core'
import type { Reason } from '../../client/api/common.ts'
import { useSearchWords } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { CheckChain, sayFinding } from '../kit/check-chain.tsx'
import { DraftChain } from '../kit/draft-chain.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { useRead } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { shortOf } from '../kit/time.tsx'
import { PEOPLE_TEXTS } from './texts.ts'
import styles from './why-not.module.css'

/** How far a message came for this person, or would come: a chain of checks, green up to the one that stops it. */
export function WhyNot({ userId }: { readonly userId: string }) {
  const { why: texts } = useTexts(PEOPLE_TEXTS)
  const [words, change] = useSearchWords()
  const chosen = words['why'] ?? ''
  const { options, isReady } = useMessages()
  const [kind = '', id = ''] = chosen.split(':')
  const isDraft = options.some(({ value, isDraft: is }) => value === chosen && is)
  return (
    <Card
      title={texts.title}
      aside={
        <Select
          className={styles.choose}
          aria-label={texts.choose}
          placeholder={texts.choose}
          searchable
          clearable
          data={options.map(({ value, label }) => ({ value, label }))}
          value={chosen === '' ? null : chosen}
          onChange={(value) => change({ why: value ?? '' })}
        />
      }
    >
      {chosen === '' && <p className="small quiet">{texts.hint}</p>}
      {chosen !== '' && !isReady && <Lines count={5} />}
      {chosen !== '' && isReady && isDraft && <DraftChain userId={userId} campaignId={id} />}
      {chosen !== '' && isReady && !isDraft && <SentChain userId={userId} kind={kind} id={id} />}
    </Card>
  )
}

/** The newest campaigns and single sends, by `kind:id`. */
function useMessages() {
  const { language } = useLanguage()
  const mayDraft = useMay('push', 'push:read', 'draft')
  const campaigns = useRead('GET /api/v1/campaigns', { query: { limit: 50 } })
  const single = useRead('GET /api/v1/notifications', { query: { limit: 50, source: 'endpoint' } })
  const options = [
    ...(campaigns.data?.campaigns ?? []).map(({ campaign_id: id, name, state }) => ({
      value: `campaign:${id}`,
      label: name,
      isDraft: state === 'draft' && mayDraft,
    })),
    ...(single.data?.notifications ?? []).map(({ id, title, created_at: at }) => ({
      value: `notification:${id}`,
      label: `${title ?? id}, ${shortOf(new Date(at), language)}`,
      isDraft: false,
    })),
  ]
  return { options, isReady: campaigns.data !== undefined || campaigns.error !== null }
}

type SentProps = { readonly userId: string; readonly kind: string; readonly id: string }

function SentChain({ userId, kind, id }: SentProps) {
  const { why: texts } = useTexts(PEOPLE_TEXTS)
  const { language } = useLanguage()
  const subject = kind === 'campaign' ? { campaign: id } : { notification: id }
  const { data, error } = useRead('GET /api/v1/explain', { query: { user_id: userId, ...subject } })
  if (error !== null) return <FailureNote error={error} />
  if (data === undefined) return <Lines count={5} />
  const { reasons, checks = [], is_reached: isReached } = data.explanation
  const inChain = new Set(checks.flatMap(({ seen }) => seen.map(({ message }) => message)))
  const remarks: readonly Reason[] = reasons.filter(({ message }) => !inChain.has(message))
  return (
    <>
      <p className="small quiet">{isReached ? texts.reached : texts.stopped}</p>
      <CheckChain checks={checks} />
      {remarks.map((remark) => (
        <p key={remark.message} className="small quiet">
          {sayFinding(remark, language)}
        </p>
      ))}
    </>
  )
}
