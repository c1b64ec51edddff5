import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Campaign } from '../../client/api/campaigns.ts'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { useFormat } from '../kit/number.tsx'
import { useRead, useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import type { Draft } from './draft.ts'
import styles from './page.module.css'
import { type DryRun, LeftOut, usePeople } from './reach.tsx'
import { useSentences } from './sentences.ts'
import { COMPOSE_TEXTS } from './texts.ts'

type ReviewProps = {
  readonly draft: Draft
  /** The stored campaign, if it is what the page shows. */
  readonly saved: Campaign | null
  readonly dryRun: DryRun | undefined
}

/** The last look, with the number of people on the button. An author asks, and so does anybody above the brand's number. */
export function Review({ draft, saved, dryRun }: ReviewProps) {
  const { send } = useTexts(COMPOSE_TEXTS)
  const [isOpen, setOpen] = useState(false)
  const { mustAsk } = useConsent(dryRun?.people ?? 0)
  return (
    <>
      <Button
        variant="filled"
        disabled={saved === null || dryRun === undefined}
        onClick={() => setOpen(true)}
      >
        {mustAsk ? send.ask : send.review}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={send.title} size="lg">
        {saved !== null && dryRun !== undefined && (
          <Summary {...{ draft, saved, dryRun }} onClose={() => setOpen(false)} />
        )}
      </Dialog>
    </>
  )
}

/** Whether somebody else must consent to this many people. */
function useConsent(people: number): { readonly mustAsk: boolean; readonly above: number | null } {
  const maySend = useMay('push')
  const mayApprove = useMay('approve')
  const { data } = useRead('GET /api/v1/brand', {})
  const above = data?.brand.approval_above ?? null
  const isMany = above !== null && people > above
  return { mustAsk: !maySend || (isMany && !mayApprove), above: maySend ? above : null }
}

const LAUNCH = 'POST /api/v1/campaigns/{campaign_id}/launch'

type SummaryProps = ReviewProps & {
  readonly saved: Campaign
  readonly dryRun: DryRun
  readonly onClose: () => void
}

function Summary({ draft, saved, dryRun, onClose }: SummaryProps) {
  const { send, options } = useTexts(COMPOSE_TEXTS)
  const sentences = useSentences(draft)
  const people = usePeople()
  const { mustAsk } = useConsent(dryRun.people)
  const launch = useWrite(LAUNCH, {
    refreshes: ['GET /api/v1/campaigns', 'GET /api/v1/campaigns/{campaign_id}'],
  })
  const input = { path: { campaign_id: String(saved.campaign_id) }, query: { version: saved.version } }
  const number = people(dryRun.people)
  return (
    <div className={styles.fields}>
      <dl className={styles.review}>
        {(['when', 'variants', 'goal', 'holdout', 'throttle', 'topic'] as const).map((name) => (
          <div key={name}>
            <dt>{options[name]}</dt>
            <dd>{sentences[name]}</dd>
          </div>
        ))}
      </dl>
      <LeftOut {...{ draft, dryRun }} campaignId={String(saved.campaign_id)} onFollow={onClose} />
      <Warnings dryRun={dryRun} />
      {mustAsk && <ConsentNote people={dryRun.people} />}
      {launch.error !== null && <FailureNote error={launch.error} />}
      <div className={styles.ends}>
        <span className="small quiet">{send.undoHint}</span>
        <CopyCurl endpoint={LAUNCH} input={input} />
        <Button onClick={onClose}>{send.cancel}</Button>
        <Button
          variant="filled"
          data-autofocus
          disabled={dryRun.people === 0}
          loading={launch.isPending}
          onClick={() => launch.mutate(input)}
        >
          {mustAsk ? send.goAsk(number) : send.go(number)}
        </Button>
      </div>
    </div>
  )
}

function ConsentNote({ people }: { readonly people: number }) {
  const { send } = useTexts(COMPOSE_TEXTS)
  const format = useFormat()
  const { above } = useConsent(people)
  return <p className="small quiet">{above === null ? send.always : send.needs(format.count(above))}</p>
}

function Warnings({ dryRun }: { readonly dryRun: DryRun }) {
  const { send } = useTexts(COMPOSE_TEXTS)
  const warnings = dryRun.warnings ?? []
  const byMessage = new Map<string, readonly string[]>()
  for (const { field, message } of warnings)
    byMessage.set(message, [...(byMessage.get(message) ?? []), field])
  if (dryRun.people === 0) return <p className={styles.warning}>{send.nobody}</p>
  if (warnings.length === 0) return null
  return (
    <div className={styles.warning}>
      <h3>{send.warnings}</h3>
      <ul>
        {[...byMessage].map(([message, fields]) => (
          <li key={message}>
            {message} <span className="tiny">{fields.join(', ')}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
