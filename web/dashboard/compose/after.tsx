import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { Campaign } from '../../client/api/campaigns.ts'
import { Link, useGo } from '../kit/address.tsx'
import { call } from '../kit/call.ts'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay, useMe } from '../kit/member.ts'
import { useFormat } from '../kit/number.tsx'
import { refresh, useRead, useWrite } from '../kit/queries.ts'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { exactOf } from '../kit/time.tsx'
import styles from './page.module.css'
import { usePeople } from './reach.tsx'
import { COMPOSE_TEXTS } from './texts.ts'

/** A message that was launched: what happens to it, and the way back as long as there is one. */
export function After({ campaign: first }: { readonly campaign: Campaign }) {
  const path = { campaign_id: String(first.campaign_id) }
  // A launched campaign changes its state by itself; the page above reads the same reply.
  const { data } = useRead('GET /api/v1/campaigns/{campaign_id}', { path }, { everyMs: 2_000 })
  const campaign = data?.campaign ?? first
  const { after } = useTexts(COMPOSE_TEXTS)
  const { state } = campaign
  if (state === 'scheduled') return <Leaving campaign={campaign} />
  if (state === 'awaiting_approval') return <Awaiting campaign={campaign} />
  const { sending, sent, cancelled, failed } = after
  const says: Readonly<Record<string, string>> = { sending, sent, cancelled, failed, deciding: sending }
  return (
    <div className={`${styles.after} ${styles.finished}`} role="status">
      <p>{says[state]}</p>
      <Watch campaign={campaign} />
      <Again campaign={campaign} />
    </div>
  )
}

function Watch({ campaign }: { readonly campaign: Campaign }) {
  const { after } = useTexts(COMPOSE_TEXTS)
  return <Link to={`/messages/campaign/${campaign.campaign_id}`}>{after.watch}</Link>
}

/** Counts down while the launch can be undone. A later schedule can be undone until its time. */
function Leaving({ campaign }: { readonly campaign: Campaign }) {
  const { after } = useTexts(COMPOSE_TEXTS)
  const format = useFormat()
  const people = usePeople()
  const { language } = useLanguage()
  const mayCancel = useMay('push')
  const sendAt = new Date(campaign.send_at ?? Date.now())
  const seconds = useSecondsTo(sendAt)
  const { undo, isBusy, error } = useUndo(campaign)
  const number = people(campaign.people ?? 0)
  const isSoon = seconds <= SOON_S
  return (
    <div className={styles.after} role="status" data-after="leaving">
      {/* A reader is told once, not every second. */}
      {isSoon && <span className="sr-only">{after.soon(number)}</span>}
      <p aria-hidden={isSoon}>
        {isSoon
          ? after.leaves(number, format.count(seconds))
          : after.scheduled(number, exactOf(sendAt, language))}
      </p>
      {mayCancel && (
        <Button variant="filled" loading={isBusy} onClick={() => void undo()}>
          {after.undo}
        </Button>
      )}
      <Watch campaign={campaign} />
      {error !== null && <FailureNote error={error} />}
    </div>
  )
}

const SOON_S = 60

function useSecondsTo(instant: Date): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, Math.ceil((instant.getTime() - now) / 1000))
}

/** Cancels the launch and leads to a draft with the same words: a cancelled campaign stays what it is. */
function useUndo({ campaign_id: id }: Campaign) {
  const go = useGo()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const undo = async (): Promise<void> => {
    setBusy(true)
    try {
      const path = { campaign_id: String(id) }
      await call('POST /api/v1/campaigns/{campaign_id}/cancel', { path })
      const copied = await call('POST /api/v1/campaigns/{campaign_id}/duplicate', { path })
      go(`/compose/${copied.campaign.campaign_id}?undone=1`, 'replace')
      await refresh('GET /api/v1/campaigns', 'GET /api/v1/campaigns/{campaign_id}')
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
      setBusy(false)
    }
  }
  return { undo, isBusy, error }
}

function Awaiting({ campaign }: { readonly campaign: Campaign }) {
  const { after } = useTexts(COMPOSE_TEXTS)
  const people = usePeople()
  const mayConsent = useMay('approve', 'consent')
  const { data } = useMe()
  const isOwn = campaign.requested_by === `member:${data?.member.id ?? ''}`
  const refreshes = ['GET /api/v1/campaigns', 'GET /api/v1/campaigns/{campaign_id}'] as const
  const approve = useWrite('POST /api/v1/campaigns/{campaign_id}/approve', { refreshes })
  const refuse = useWrite('POST /api/v1/campaigns/{campaign_id}/refuse', { refreshes })
  const input = { path: { campaign_id: String(campaign.campaign_id) }, query: { version: campaign.version } }
  const error = approve.error ?? refuse.error
  return (
    <div className={styles.after} role="status" data-after="awaiting">
      <p>{after.awaiting(people(campaign.people ?? 0))}</p>
      {mayConsent && !isOwn && (
        <>
          <Button onClick={() => refuse.mutate(input)}>{after.refuse}</Button>
          <Button variant="filled" loading={approve.isPending} onClick={() => approve.mutate(input)}>
            {after.approve}
          </Button>
        </>
      )}
      {error !== null && <FailureNote error={error} />}
    </div>
  )
}

function Again({ campaign }: { readonly campaign: Campaign }) {
  const { after } = useTexts(COMPOSE_TEXTS)
  const go = useGo()
  const mayDraft = useMay('push', 'draft')
  const duplicate = useWrite('POST /api/v1/campaigns/{campaign_id}/duplicate', {
    refreshes: ['GET /api/v1/campaigns'],
    onDone: ({ campaign: copy }) => go(`/compose/${copy.campaign_id}`),
  })
  if (!mayDraft) return null
  return (
    <Button
      loading={duplicate.isPending}
      onClick={() => duplicate.mutate({ path: { campaign_id: String(campaign.campaign_id) } })}
    >
      {after.duplicate}
    </Button>
  )
}
