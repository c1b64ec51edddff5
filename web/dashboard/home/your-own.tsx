import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { curlOf, outgoingOf } from '../kit/call.ts'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import type { Overview } from '../kit/overview.ts'
import { Pill } from '../kit/pill.tsx'
import { useRead, useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { Code } from './code.tsx'
import { siteSnippet } from './site-snippet.ts'
import { HOME_TEXTS } from './texts.ts'
import styles from './your-own.module.css'

type YourOwnProps = {
  readonly overview: Overview | undefined
  /** Messages to the drawn devices, which are not the reader's own. */
  readonly triedIds: readonly string[]
}

/** Three steps; each ticks itself when the first event, message or device is there. */
export function YourOwn({ overview, triedIds }: YourOwnProps) {
  const { own } = useTexts(HOME_TEXTS)
  const query = { limit: NEWEST }
  const { data } = useRead('GET /api/v1/notifications', { query }, { everyMs: 5_000 })
  const hasSent = data?.notifications.some(({ id }) => !triedIds.includes(id)) === true
  const hasEvent = (overview?.events?.today ?? 0) > 0
  const hasDevice = (overview?.devices?.live ?? 0) > 0
  return (
    <ol className={styles.steps}>
      <Step isDone={hasEvent} title={hasEvent ? own.siteDone : own.site}>
        <SiteStep />
      </Step>
      <Step isDone={hasSent} title={hasSent ? own.curlDone : own.curl}>
        <Code text={curlOf(outgoingOf('POST /api/v1/web/broadcast/all', { body: SAMPLE_MESSAGE }))} />
        <p className="quiet small">{own.curlNote}</p>
      </Step>
      <Step isDone={hasDevice} title={hasDevice ? own.bringDone : own.bring}>
        <Code text={importCommand()} />
        <p className="small">
          <a href="/docs/going-live">{own.bringGuide}</a>
        </p>
      </Step>
    </ol>
  )
}

const NEWEST = 20
const SAMPLE_MESSAGE = { title: 'Hello', message: 'The first message of our own.' }

function importCommand(): string {
  return [
    "curl -X POST '",
    `${location.origin}/api/v1/subscriptions/import' \\\n`,
    "  -H 'authorization: Bearer YOUR_API_KEY' -H 'content-type: text/csv' \\\n",
    '  --data-binary @devices.csv',
  ].join('')
}

type StepProps = { readonly title: string; readonly isDone: boolean; readonly children: ReactNode }

function Step({ title, isDone, children }: StepProps) {
  const { own } = useTexts(HOME_TEXTS)
  return (
    <li className={styles.step}>
      <h3 className={styles.title}>
        {title} <Pill tone={isDone ? 'ok' : 'plain'}>{isDone ? own.done : own.open}</Pill>
      </h3>
      {!isDone && children}
    </li>
  )
}

function SiteStep() {
  const { own } = useTexts(HOME_TEXTS)
  const mayMake = useMay('keys', 'brand')
  const make = useWrite('POST /api/v1/brand/keys', { refreshes: ['GET /api/v1/brand/keys'] })
  const key = make.data?.key.api_key ?? null
  return (
    <>
      <Code text={siteSnippet(location.origin, key ?? 'YOUR_PUBLISHABLE_KEY')} />
      {key === null && mayMake && (
        <Button
          size="compact-sm"
          loading={make.isPending}
          onClick={() => make.mutate({ body: { kind: 'publishable', label: 'site' } })}
        >
          {own.makeKey}
        </Button>
      )}
      {make.error !== null && <FailureNote error={make.error} />}
      <p className="quiet small">
        {own.siteNote} <a href="/docs/web-sdk">{own.siteGuide}</a>
      </p>
    </>
  )
}
