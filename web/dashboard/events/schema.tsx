import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs'
import { useState } from 'react'
import { addressOf, Link, useSearchWords } from '../kit/address.tsx'
import { Card, Columns, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Icon } from '../kit/icon.tsx'
import { useFormat } from '../kit/number.tsx'
import { useRead } from '../kit/queries.ts'
import { type RowList, useRows } from '../kit/rows.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { TYPING_MS } from '../kit/typing.ts'
import { VirtualBox } from '../kit/virtual-list.tsx'
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
  const list = useRows('GET /api/v1/events/schema', { query }, { rowsOf: ({ events }) => events })
  // The list holds the names in sight alone; conflicts and the choice must stay.
  const { data } = useRead('GET /api/v1/events/schema', { query }, { keepsFormer: true })
  const events = data?.events
  const chosen = useNamed(words['name'] ?? '', events) ?? worstOf(events ?? [])
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
      {list.error !== null && <FailureNote error={list.error} onRetry={list.retry} />}
      {events === undefined && list.error === null && <Lines count={6} />}
      {events?.length === 0 && (
        <Card>{prefix === '' ? <FirstEvent /> : <p className="quiet small">{texts.none}</p>}</Card>
      )}
      {events !== undefined && chosen !== undefined && (
        <Stack>
          <Conflicts events={events} />
          <Columns wide="last">
            <Names list={list} chosen={chosen.event_name} />
            <EventSchema key={chosen.event_name} event={chosen} />
          </Columns>
        </Stack>
      )}
    </>
  )
}

/** The event of this name, which may be one that the list has not reached. */
function useNamed(name: string, events: readonly SchemaEvent[] | undefined): SchemaEvent | undefined {
  const near = events?.find((event) => event.event_name === name)
  const query = { limit: PAGE_ROWS, prefix: name }
  const isFar = name !== '' && events !== undefined && near === undefined
  const { data } = useRead('GET /api/v1/events/schema', { query }, { isEnabled: isFar })
  return near ?? data?.events.find((event) => event.event_name === name)
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

type NamesProps = { readonly list: RowList<SchemaEvent>; readonly chosen: string }

function Names({ list, chosen }: NamesProps) {
  const { schema: texts } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  return (
    <Card title={texts.names} inset="flush">
      <VirtualBox label={texts.names} className={styles.names} list={list} empty={null}>
        {(event) => (
          <Link
            to={addressOf('/events/schema', { name: event.event_name })}
            aria-current={event.event_name === chosen ? 'true' : undefined}
          >
            <span className={styles.name}>{event.event_name}</span>
            {conflictsOf(event) > 0 && <span className={styles.dot} role="img" aria-label={texts.conflict} />}
            <span className="num quiet">{format.count(event.event_count)}</span>
          </Link>
        )}
      </VirtualBox>
    </Card>
  )
}
