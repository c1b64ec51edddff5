import { Button, Menu } from '@mantine/core'
import { useState } from 'react'
import type { Type } from '../../client/api/common.ts'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { KIT_TEXTS } from '../kit/kit-texts.ts'
import { useMay } from '../kit/member.ts'
import { Count } from '../kit/number.tsx'
import { Pill } from '../kit/pill.tsx'
import { useWrite } from '../kit/queries.ts'
import { type Column, Table } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { EVER, rowsAddress } from './range.ts'
import type { SchemaEvent } from './replies.ts'
import styles from './schema.module.css'
import { EVENTS_TEXTS } from './texts.ts'
import tools from './tools.module.css'

type Attribute = SchemaEvent['attributes'][number]

/** A change of a lock: the type it had, and the type it gets. Without one, the next value of a secret key decides. */
type LockChange = { readonly attribute: string; readonly was: Type; readonly type: Type | null }

const TYPES = [
  'String',
  'Number',
  'Boolean',
  'Date',
  'Object',
  'Array of Objects',
] as const satisfies readonly Type[]

/** One event: how often, since when, and each attribute with its lock. */
export function EventSchema({ event }: { readonly event: SchemaEvent }) {
  const { schema: texts } = useTexts(EVENTS_TEXTS)
  const kit = useTexts(KIT_TEXTS)
  const { event_name: name, attributes } = event
  const mayReset = useMay('brand', 'keys')
  const [last, setLast] = useState<LockChange | null>(null)
  const reset = useWrite('POST /api/v1/events/schema/reset', { refreshes: ['GET /api/v1/events/schema'] })
  const change = (wanted: LockChange): void => {
    const { attribute, type } = wanted
    const body = { event_name: name, attribute, ...(type === null ? {} : { type }) }
    reset.mutate({ body }, { onSuccess: () => setLast(wanted) })
  }
  return (
    <Card title={name} inset="flush">
      <Facts event={event} />
      {reset.error !== null && <FailureNote error={reset.error} />}
      {last !== null && (
        <p className={styles.done} role="status">
          {last.type === null ? texts.opened(last.attribute) : texts.locked(last.attribute, last.type)}
          <Button
            size="compact-sm"
            onClick={() => change({ attribute: last.attribute, was: last.type ?? last.was, type: last.was })}
          >
            {kit.undo}
          </Button>
        </p>
      )}
      <div className={tools['wide']}>
        <Table
          label={texts.attributes}
          columns={useColumns(name, mayReset ? change : null)}
          rows={attributes}
          keyOf={(attribute) => attribute.name}
          empty={<p className={styles.note}>{texts.noAttributes}</p>}
        />
      </div>
      {attributes.some(({ mistyped }) => mistyped > 0) && (
        <p className={styles.note}>
          {texts.mistypedNote} {!mayReset && texts.mayNot}
        </p>
      )}
    </Card>
  )
}

function Facts({ event }: { readonly event: SchemaEvent }) {
  const { schema: texts } = useTexts(EVENTS_TEXTS)
  const mayReadAll = useMay('events:read')
  const { event_name: name, event_count: count } = event
  const to = mayReadAll ? rowsAddress({ name, from: EVER }) : undefined
  return (
    <dl className={styles['facts']}>
      <div>
        <dt>{texts.count}</dt>
        <dd>
          <Count value={count} to={to} />
        </dd>
      </div>
      <div>
        <dt>{texts.first}</dt>
        <dd>
          <Time at={event.first_seen} />
        </dd>
      </div>
      <div>
        <dt>{texts.last}</dt>
        <dd>
          <Time at={event.last_seen} how="ago" />
        </dd>
      </div>
    </dl>
  )
}

type Change = ((change: LockChange) => void) | null

function useColumns(name: string, change: Change): readonly Column<Attribute>[] {
  const { schema: texts } = useTexts(EVENTS_TEXTS)
  const mayReadAll = useMay('events:read')
  const rowsOf = (words: { readonly attribute?: string; readonly mistyped?: string }): string | undefined =>
    mayReadAll ? rowsAddress({ name, from: EVER, ...words }) : undefined
  const columns: readonly Column<Attribute>[] = [
    { name: texts.attribute, cell: (row) => <b>{row.name}</b> },
    { name: texts.type, cell: (row) => <Lock row={row} /> },
    {
      name: texts.values,
      kind: 'number',
      cell: (row) => <Count value={row.count - row.mistyped} to={rowsOf({ attribute: row.name })} />,
    },
    {
      name: texts.mistyped,
      kind: 'number',
      cell: ({ name: attribute, mistyped }) =>
        mistyped === 0 ? (
          <span className="quiet">0</span>
        ) : (
          <b className={styles['why']}>
            <Count value={mistyped} to={rowsOf({ mistyped: attribute })} />
          </b>
        ),
    },
    { name: texts.last, cell: (row) => <Time at={row.last_seen} how="ago" /> },
  ]
  if (change === null) return columns
  return [...columns, { name: texts.lock, cell: (row) => <Reset row={row} change={change} /> }]
}

function Lock({ row }: { readonly row: Attribute }) {
  const { schema: texts } = useTexts(EVENTS_TEXTS)
  return (
    <span className={styles['type']}>
      {texts.types[row.type]} {row.mistyped > 0 && <Pill tone="live">{texts.conflict}</Pill>}
      {row.is_provisional && row.mistyped === 0 && <Pill>{texts.provisional}</Pill>}
    </span>
  )
}

/** A wrong choice is undone with a click, so nothing is asked. */
function Reset({ row, change }: { readonly row: Attribute; readonly change: (wanted: LockChange) => void }) {
  const { schema: texts } = useTexts(EVENTS_TEXTS)
  const { name: attribute, type: was } = row
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button size="compact-sm" aria-label={texts.resetOf(attribute)}>
          {texts.reset}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => change({ attribute, was, type: null })}>{texts.next}</Menu.Item>
        <Menu.Divider />
        {TYPES.filter((type) => type !== was).map((type) => (
          <Menu.Item key={type} onClick={() => change({ attribute, was, type })}>
            {texts.lockTo(texts.types[type])}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
