import { Button } from '@mantine/core'
import { BeckonError } from '../../client/failure.ts'
import { useGo, usePathWord } from '../kit/address.tsx'
import { Card, Columns, Stack } from '../kit/card.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Page } from '../kit/page.tsx'
import { Pill } from '../kit/pill.tsx'
import { useRead } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { AboutCard } from './about-card.tsx'
import { Actions } from './actions.tsx'
import { CausesCard } from './causes-card.tsx'
import { ClicksCard } from './clicks-card.tsx'
import { GoalCard } from './goal-card.tsx'
import { type Message, pollMsOf } from './message.ts'
import styles from './message-page.module.css'
import { MESSAGE_TEXTS } from './message-texts.ts'
import { ProgressCard } from './progress-card.tsx'
import { RecipientsCard } from './recipients-card.tsx'
import { StatePill } from './state-pill.tsx'
import { MESSAGES_TEXTS } from './texts.ts'
import { useMessage, useRate } from './use-message.ts'
import { VariantsCard } from './variants-card.tsx'

/** One message, live: what became of it, what it brought, what went wrong, and who got it. */
export function MessagePage() {
  const texts = useTexts(MESSAGE_TEXTS)
  const list = useTexts(MESSAGES_TEXTS)
  const kind = usePathWord('kind')
  const id = usePathWord('id')
  const { message, error, asOf, retry } = useMessage(kind, id)
  // Its cards come with the message itself, so that none moves the others.
  const results = useResults({ id, isCampaign: kind === 'campaign', isMoving: false })
  if (message !== undefined && !results.isLoading)
    return <Whole key={`${kind} ${id}`} message={message} asOf={asOf} />
  return (
    <Page title={texts.page} above={{ name: list.title, to: '/messages' }}>
      <Card>{error === null ? <Lines count={6} /> : <Failed error={error} retry={retry} />}</Card>
    </Page>
  )
}

function Failed({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  const texts = useTexts(MESSAGE_TEXTS)
  const go = useGo()
  const isMissing = error instanceof BeckonError && error.status === 404
  if (!isMissing) return <FailureNote error={error} onRetry={retry} />
  return (
    <Empty title={texts.missing} text={texts.missingText}>
      <Button onClick={() => go('/messages')}>{texts.toList}</Button>
    </Empty>
  )
}

function Whole({ message, asOf }: { readonly message: Message; readonly asOf: number }) {
  const texts = useTexts(MESSAGE_TEXTS)
  const list = useTexts(MESSAGES_TEXTS)
  const rate = useRate({ message, asOf })
  const left = useLeft(rate === null ? null : message.pending / rate)
  return (
    <Page
      title={message.title === '' ? list.untitled : message.title}
      above={{ name: list.title, to: '/messages' }}
      state={
        <>
          <span aria-live="polite">
            <StatePill state={message.state} detail={left} />
          </span>
          {message.isArchived && <Pill>{texts.archived}</Pill>}
        </>
      }
      actions={<Actions message={message} />}
    >
      <Stack>
        <Obstacle message={message} />
        <ProgressCard message={message} asOf={asOf} rate={rate} />
        <Outcome message={message} />
        <CausesCard message={message} />
        <RecipientsCard message={message} />
      </Stack>
    </Page>
  )
}

/** Why it waits or failed as a whole, in the server's words. */
function Obstacle({ message }: { readonly message: Message }) {
  const texts = useTexts(MESSAGE_TEXTS)
  if (message.advice === null) return null
  return (
    <p className={styles.obstacle} role="status">
      {texts.waits} {message.advice}
    </p>
  )
}

const RESULT_POLL_MS = 5_000

type Asked = { readonly id: string; readonly isCampaign: boolean; readonly isMoving: boolean }

function useResults({ id, isCampaign, isMoving }: Asked) {
  return useRead(
    'GET /api/v1/campaigns/{campaign_id}/results',
    { path: { campaign_id: id } },
    { isEnabled: isCampaign, ...(isMoving ? { everyMs: RESULT_POLL_MS } : {}) },
  )
}

function Outcome({ message }: { readonly message: Message }) {
  const { campaign } = message
  const isMoving = pollMsOf(message) === 2_000
  const read = useResults({ id: message.id, isCampaign: campaign !== null, isMoving })
  const results = read.data?.results
  const asOf = read.dataUpdatedAt
  const hasVariants = (campaign?.variants ?? []).length > 0
  return (
    <Columns wide={hasVariants ? 'none' : 'first'}>
      <Stack>
        <ClicksCard message={message} />
        {campaign !== null && results !== undefined && <GoalCard {...{ message, campaign, results, asOf }} />}
      </Stack>
      <Stack>
        {campaign !== null && results !== undefined && <VariantsCard {...{ campaign, results, asOf }} />}
        <AboutCard message={message} />
      </Stack>
    </Columns>
  )
}

/** The rest of the time as a person says it. */
function useLeft(seconds: number | null): string {
  const texts = useTexts(MESSAGE_TEXTS)
  const { language } = useLanguage()
  if (seconds === null) return ''
  const isLong = seconds > 90
  const value = Math.max(1, Math.round(isLong ? seconds / 60 : seconds))
  const unit = isLong ? 'minute' : 'second'
  return texts.left(
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(value),
  )
}
