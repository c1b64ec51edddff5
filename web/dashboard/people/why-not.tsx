import { Select } from '@mantine/core'
import { useSearchWords } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useRead } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { shortOf } from '../kit/time.tsx'
import { PEOPLE_TEXTS } from './texts.ts'
import styles from './why-not.module.css'
import { chainOf, type Link, remarksOf } from './why-not-chain.ts'

/** How far a message came for this person: a chain of checks, green up to the one that stopped it. */
export function WhyNot({ userId }: { readonly userId: string }) {
  const { why: texts } = useTexts(PEOPLE_TEXTS)
  const [words, change] = useSearchWords()
  const chosen = words['why'] ?? ''
  const options = useMessages()
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
          data={options}
          value={chosen === '' ? null : chosen}
          onChange={(value) => change({ why: value ?? '' })}
        />
      }
    >
      {chosen === '' ? (
        <p className="small quiet">{texts.hint}</p>
      ) : (
        <Chain userId={userId} chosen={chosen} />
      )}
    </Card>
  )
}

/** The newest campaigns and single sends, by `kind:id`. */
function useMessages(): { value: string; label: string }[] {
  const { language } = useLanguage()
  const campaigns = useRead('GET /api/v1/campaigns', { query: { limit: 50 } })
  const single = useRead('GET /api/v1/notifications', { query: { limit: 50, source: 'endpoint' } })
  return [
    ...(campaigns.data?.campaigns ?? []).map(({ campaign_id: id, name }) => ({
      value: `campaign:${id}`,
      label: name,
    })),
    ...(single.data?.notifications ?? []).map(({ id, title, created_at: at }) => ({
      value: `notification:${id}`,
      label: `${title ?? id}, ${shortOf(new Date(at), language)}`,
    })),
  ]
}

function Chain({ userId, chosen }: { readonly userId: string; readonly chosen: string }) {
  const { why: texts } = useTexts(PEOPLE_TEXTS)
  const [kind = '', id = ''] = chosen.split(':')
  const subject = kind === 'campaign' ? { campaign: id } : { notification: id }
  const { data, error } = useRead('GET /api/v1/explain', { query: { user_id: userId, ...subject } })
  if (error !== null) return <FailureNote error={error} />
  if (data === undefined) return <Lines count={5} />
  const { reasons, is_reached: isReached } = data.explanation
  return (
    <>
      <p className="small quiet">{isReached ? texts.reached : texts.stopped}</p>
      <ol className={styles.chain}>
        {chainOf(reasons)
          .filter(isWorthShowing)
          .map((link) => (
            <ChainLink key={link.check} link={link} />
          ))}
      </ol>
      {remarksOf(reasons).map((remark) => (
        <p key={remark} className="small quiet">
          {remark}
        </p>
      ))}
    </>
  )
}

/** Behind the check that stopped the message, only the aim is worth a line. */
function isWorthShowing({ state, check }: Link): boolean {
  return state !== 'never' || check === 'handed'
}

const SIGNS = { passed: '✓', stopped: '✕', never: '·', waiting: '·' } as const

function ChainLink({ link }: { readonly link: Link }) {
  const { why: texts } = useTexts(PEOPLE_TEXTS)
  const { check, state, messages } = link
  const words = { passed: texts.passed, stopped: '', never: texts.never, waiting: texts.waiting }
  return (
    <li className={styles[state]}>
      <span className={styles.ring} aria-hidden>
        {SIGNS[state]}
      </span>
      <div>
        <b>{texts.checks[check]}</b>
        <span className="sr-only">: {words[state]}</span>
        {messages.map((message) => (
          <p key={message} className="quiet">
            {message}
          </p>
        ))}
      </div>
    </li>
  )
}
