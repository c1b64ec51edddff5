import type { ReactNode } from 'react'
import { Link } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { type Format, useFormat } from '../kit/number.tsx'
import { PLATFORM_LABELS } from '../kit/platform-labels.ts'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { LiquidText } from '../templates/liquid-text.tsx'
import { useCampaignContent } from './campaign-content.ts'
import type { Message } from './message.ts'
import styles from './message-page.module.css'
import { MESSAGE_TEXTS } from './message-texts.ts'

type Fact = { readonly name: string; readonly value: ReactNode }

/** The message itself: its content, its audience, and how it was sent. */
export function AboutCard({ message }: { readonly message: Message }) {
  const { about: texts } = useTexts(MESSAGE_TEXTS)
  const format = useFormat()
  const { campaign, notification } = message
  const { content: written, languages: spoken, template } = useCampaignContent(campaign)
  const content = campaign === null ? notification : written
  const languages = Object.keys(spoken)
  const topic = campaign?.topic ?? notification?.topic
  const facts: readonly (Fact | null)[] = [
    { name: texts.audience, value: <Audience message={message} /> },
    message.parts.length === 0
      ? null
      : {
          name: texts.platforms,
          value: message.parts.map(({ platform }) => PLATFORM_LABELS[platform]).join(', '),
        },
    content?.url ? { name: texts.link, value: content.url } : null,
    template === null
      ? null
      : { name: texts.template, value: <Link to={`/templates/${template.id}`}>{template.name}</Link> },
    topic ? { name: texts.topic, value: topic } : null,
    languages.length === 0 ? null : { name: texts.languages, value: languages.join(', ') },
    campaign?.per_second === undefined
      ? null
      : { name: texts.pace, value: format.count(Number(campaign.per_second)) },
    { name: texts.created, value: <Time at={message.at} /> },
  ]
  return (
    <Card title={texts.title}>
      <p className={styles.shown}>
        <b>
          <LiquidText text={content?.title ?? ''} />
        </b>
        <span>
          <LiquidText text={content?.message ?? ''} />
        </span>
      </p>
      <dl className={styles.facts}>
        {facts
          .filter((fact) => fact !== null)
          .map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </Card>
  )
}

/** The audience as a sentence. */
function Audience({ message }: { readonly message: Message }) {
  const { about: texts } = useTexts(MESSAGE_TEXTS)
  const format = useFormat()
  const { campaign, notification } = message
  const written: Written =
    campaign === null
      ? {
          segment_id: notification?.segment_id,
          tag: notification?.tag,
          everyone: notification?.mode === 'all',
        }
      : campaign.audience
  const segment = wordOf(written.segment_id)
  const held = Number(campaign?.holdout_percent ?? 0)
  const rest = sentenceOf(written, { texts, format })
  return (
    <>
      {segment !== '' && <Link to={`/segments/${segment}`}>{texts.segment(segment)}</Link>}
      {[
        ...(segment !== '' && rest.length > 0 ? [''] : []),
        ...(notification?.mode === 'send' ? [texts.one] : rest),
        ...(held > 0 ? [texts.held(format.amount(held))] : []),
      ].join(', ')}
    </>
  )
}

/** An id as the caller wrote it. */
function wordOf(id: unknown): string {
  return typeof id === 'number' || typeof id === 'bigint' || typeof id === 'string' ? String(id) : ''
}

type Written = {
  readonly everyone?: unknown
  readonly segment_id?: unknown
  readonly filter?: unknown
  readonly tag?: unknown
  readonly users?: unknown
  readonly except?: unknown
}

type SentenceWords = {
  readonly texts: {
    readonly everyone: string
    readonly filter: string
    readonly except: string
    readonly tag: (tag: string) => string
    readonly listed: (count: string) => string
  }
  readonly format: Format
}

function sentenceOf(written: Written, { texts, format }: SentenceWords): readonly string[] {
  const { everyone, filter, tag, users, except } = written
  const listed: unknown = Object(users).listed
  return [
    ...(everyone === true ? [texts.everyone] : []),
    ...(filter === undefined ? [] : [texts.filter]),
    ...(typeof tag === 'string' ? [texts.tag(tag)] : []),
    ...(typeof listed === 'number' ? [texts.listed(format.count(listed))] : []),
    ...(except === undefined || except === null ? [] : [texts.except]),
  ]
}
