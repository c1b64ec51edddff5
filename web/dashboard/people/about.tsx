import type { ReactNode } from 'react'
import type { User } from '../../client/api/profiles.ts'
import { Card } from '../kit/card.tsx'
import { Amount, Count } from '../kit/number.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import styles from './about.module.css'
import { addressOfEvents } from './person.ts'
import { PEOPLE_TEXTS } from './texts.ts'

type Fact = { readonly name: string; readonly value: ReactNode }

export function About({ person }: { readonly person: User }) {
  const { person: texts } = useTexts(PEOPLE_TEXTS)
  const facts: readonly (Fact | null)[] = [
    person.userID === null ? null : { name: texts.userId, value: person.user_ids.join(', ') },
    person.email === null ? null : { name: texts.email, value: person.email },
    person.mobile === null ? null : { name: texts.mobile, value: person.mobile },
    { name: texts.ltv, value: <Amount value={Number(person.ltv)} to={addressOfEvents(person)} /> },
    { name: texts.events, value: <Count value={person.event_count} to={addressOfEvents(person)} /> },
    { name: texts.first, value: <Time at={person.first_seen} /> },
    { name: texts.last, value: <Time at={person.last_seen} how="ago" /> },
  ]
  return (
    <Card title={texts.about}>
      <Facts facts={facts.filter((fact) => fact !== null)} />
    </Card>
  )
}

export function Attributes({ person }: { readonly person: User }) {
  const { person: texts } = useTexts(PEOPLE_TEXTS)
  const { user_attributes: attributes, tags } = person
  const facts = Object.entries(attributes).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : JSON.stringify(value, writeExact),
  }))
  return (
    <Card title={texts.attributes}>
      {facts.length === 0 ? <p className="small quiet">{texts.noAttributes}</p> : <Facts facts={facts} />}
      {tags.length > 0 && (
        <p className={styles.tags} aria-label={texts.tags}>
          {tags.map((tag) => (
            <span key={tag} className={styles.tag}>
              {tag}
            </span>
          ))}
        </p>
      )}
    </Card>
  )
}

/** Long integers come as `bigint`, which JSON cannot write by itself. */
function writeExact(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
