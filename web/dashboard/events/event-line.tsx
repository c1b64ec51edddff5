import { ActionIcon } from '@mantine/core'
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs'
import { useState } from 'react'
import { encodeJson, type Json } from '../../client/json.ts'
import { Link } from '../kit/address.tsx'
import { Icon } from '../kit/icon.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import styles from './event-line.module.css'
import type { TailRow } from './tail-stream.ts'
import { EVENTS_TEXTS } from './texts.ts'

/** One event: when, what, who, and its attributes as far as the line goes; opened, all of them. */
export function EventLine({ row }: { readonly row: TailRow }) {
  return (
    <li className={row.isFresh === true ? styles.fresh : undefined}>
      <EventWords row={row} />
    </li>
  )
}

/** The content of the line, for a list that draws its lines itself. */
export function EventWords({ row }: { readonly row: TailRow }) {
  const { tail } = useTexts(EVENTS_TEXTS)
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <div className={styles.line}>
        <span className={styles.at}>
          <Time at={row.event_time} />
        </span>
        <b className={styles.cut}>{row.event_name}</b>
        <span className={styles.cut}>
          <Person id={row.userID} />
        </span>
        <span className={`${styles.cut} quiet`}>{shortWords(row)}</span>
        <ActionIcon
          aria-label={tail.open(row.event_name)}
          aria-expanded={isOpen}
          className={styles.open}
          onClick={() => setIsOpen(!isOpen)}
        >
          <Icon of={IconChevronDown} size={15} />
        </ActionIcon>
      </div>
      {isOpen && <Whole row={row} />}
    </>
  )
}

function Person({ id }: { readonly id: string | null | undefined }) {
  const { tail } = useTexts(EVENTS_TEXTS)
  if (id === undefined) return null
  if (id === null) return <span className="quiet">{tail.visitor}</span>
  return <Link to={`/people/${encodeURIComponent(id)}`}>{id}</Link>
}

function shortWords({ attributes, attribute_names: names = [], mistyped }: TailRow): string {
  if (attributes === undefined) return names.join(', ')
  return [...Object.entries(mistyped ?? {}), ...Object.entries(attributes)]
    .map(([name, value]) => `${name} ${textOf(value)}`)
    .join(', ')
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : encodeJson(value)
}

function Whole({ row }: { readonly row: TailRow }) {
  const { tail } = useTexts(EVENTS_TEXTS)
  const attributes = row.attributes ?? {}
  const names = row.attribute_names ?? Object.keys(attributes)
  return (
    <dl className={styles.whole}>
      <dt>{tail.received}</dt>
      <dd>
        <Time at={row.received_at} />
      </dd>
      {Object.entries(row.mistyped ?? {}).map(([name, value]) => (
        <div key={`mistyped ${name}`}>
          <dt>{tail.mistyped(name)}</dt>
          <dd>{textOf(value)}</dd>
        </div>
      ))}
      {names.map((name) => {
        const value = attributes[name]
        return (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value === undefined ? tail.hidden : textOf(value)}</dd>
          </div>
        )
      })}
    </dl>
  )
}
