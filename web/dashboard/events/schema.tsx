import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs'
import { useState } from 'react'
import { addressOf, Link, useSearchWords } from '../kit/address.tsx'
import { Card, Columns, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Icon } from '../kit/icon.tsx'
import { KIT_TEXTS } from '../kit/kit-texts.ts'
import { useFormat } from '../kit/number.tsx'
import { useReadPages } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { TYPING_MS } from '../kit/typing.ts'
import { EventSchema } from './event-schema.tsx'
import type { SchemaEvent } from './replies.ts'
import styles from './schema.module.css'
import { EVENTS_TEXTS } from './texts.ts'
import tools from './tools.module.css'
import { FirstEvent } from './tools.tsx'

const PAGE_ROWS = 100

/** Every event name on the left, the attributes of one with their locks on the right. */
export function SchemaView() {
  const { schema: texts } = useTexts(EVENTS_TEXTS)
  const [words] = useSearchWords()
  const [typed, setTyped] = useState('')
  const [prefix] = useDebouncedValue(typed.trim(), TYPING_MS)
  const query = { limit: PAGE_ROWS, ...(prefix === '' ? {} : { prefix }) }
  const pages = useReadPages('GET /api/v1/events/schema', { query })
  const events = pages.data?.pages.flatMap((page) => page.events)
  const chosen = events?.find(({ event_name: name }) => name === words['name']) ?? worstOf(events ?? [])
  return (
    <>
      <div className={tools['tools']}>
        <TextInput
          className={tools['picker']}
          aria-label={texts.search}
          placeholder={texts.searchHint}
          leftSection={<Icon of={IconSearch} />}
          type="search"
          maxLength={100}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <div className={tools['end']}>
          <CopyCurl endpoint="GET /api/v1/events/schema" input={{ query }} />
        </div>
      </div>
      {pages.error !== null && <FailureNote error={pages.error} onRetry={() => void pages.refetch()} />}
      {events === undefined && pages.error === null && <Lines count={6} />}
      {events?.length === 0 && (
        <Card>{prefix === '' ? <FirstEvent /> : <p className="quiet small">{texts.none}</p>}</Card>
      )}
      {events !== undefined && chosen !== undefined && (
        <Stack>
          <Conflicts events={events} />
          <Columns wide="last">
            <Names
              events={events}
              chosen={chosen.event_name}
              more={pages.hasNextPage ? () => void pages.fetchNextPage() : null}
            />
            <EventSchema key={chosen.event_name} event={chosen} />
          </Columns>
        </Stack>
      )}
    </>
  )
}

function conflictsOf(event: SchemaEvent): number {
  return event.attributes.filter(({ mistyped }) => mistyped > 0).length
}

/** The first event with a conflict, else the first one. */
function worstOf(events: readonly SchemaEvent[]): SchemaEvent | undefined {
  return events.find((event) => conflictsOf(event) > 0) ?? events[0]
}

function Conflicts({ events }: { readonly events: readonly SchemaEvent[] }) {
  const { schema: texts } = useTexts(EVENTS_TEXTS)
  const bad = events.filter((event) => conflictsOf(event) > 0)
  if (bad.length === 0) return <p className="quiet small">{texts.allRight}</p>
  return (
    <p className={styles.conflicts} role="status">
      {texts.conflicts(bad.reduce((sum, event) => sum + conflictsOf(event), 0))}{' '}
      {bad.slice(0, CONFLICTS_SHOWN).map(({ event_name: name }) => (
        <Link key={name} to={addressOf('/events/schema', { name })}>
          {name}
        </Link>
      ))}
    </p>
  )
}

const CONFLICTS_SHOWN = 8

type NamesProps = {
  readonly events: readonly SchemaEvent[]
  readonly chosen: string
  readonly more: (() => void) | null
}

function Names({ events, chosen, more }: NamesProps) {
  const { schema: texts } = useTexts(EVENTS_TEXTS)
  const kit = useTexts(KIT_TEXTS)
  const format = useFormat()
  return (
    <Card title={texts.names} inset="flush">
      <ul className={styles.names}>
        {events.map((event) => (
          <li key={event.event_name}>
            <Link
              to={addressOf('/events/schema', { name: event.event_name })}
              aria-current={event.event_name === chosen ? 'true' : undefined}
            >
              <span className={styles.name}>{event.event_name}</span>
              {conflictsOf(event) > 0 && (
                <span className={styles.dot} role="img" aria-label={texts.conflict} />
              )}
              <span className="num quiet">{format.count(event.event_count)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {more !== null && (
        <div className={tools['pad']}>
          <Button onClick={more}>{kit.more}</Button>
        </div>
      )}
    </Card>
  )
}
