import { Select } from '@mantine/core'
import { encodeJson, type Json } from '../../client/json.ts'
import { addressOf, Link, useSearchWords } from '../kit/address.tsx'
import { AsOf } from '../kit/as-of.tsx'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Amount, Count } from '../kit/number.tsx'
import { useRead } from '../kit/queries.ts'
import { type Column, Table } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import { rowsAddress } from './range.ts'
import type { Series } from './replies.ts'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'
import { ShareBar } from './tools.tsx'
import { valueText } from './value-text.ts'

type BreakdownProps = { readonly series: Series; readonly name: string }

type Row = {
  /** Undefined: the event lacks the attribute. */
  readonly value: Json | undefined
  readonly count: number
  readonly people: number
  readonly ltv: string
}

/** The same events by name, or those of one name by the values of an attribute. */
export function Breakdown({ series, name }: BreakdownProps) {
  const { trend: texts } = useTexts(EVENTS_TEXTS)
  const [words, change] = useSearchWords()
  const attributes = useAttributes(name)
  const attribute = words['attribute'] ?? attributes[0] ?? ''
  const by = name === '' ? 'name' : 'attribute'
  const from = series.starts[0] ?? series.from
  const query = { by, from, ...(name === '' ? {} : { event_name: name, attribute }) } as const
  const isEnabled = name === '' || attribute !== ''
  const stats = useRead('GET /api/v1/events/stats', { query }, { isEnabled, keepsFormer: true })
  const rows = stats.data?.stats.map(
    (row): Row => ({ value: row[by], count: row.count, people: row.unique_users, ltv: row.ltv }),
  )
  // The names of the attributes come a moment later, so the columns are made before the page knows them.
  const addresses = { from, ...(name === '' ? {} : { name, attribute }) }
  const columns = useColumns(rows ?? [], addresses)
  const choice = name !== '' && attributes.length > 0 && (
    <Select
      aria-label={texts.attribute}
      size="xs"
      allowDeselect={false}
      data={attributes}
      value={attribute}
      onChange={(chosen) => change({ attribute: chosen ?? '' })}
    />
  )
  if (!isEnabled) return null
  return (
    <Card
      title={name === '' ? texts.byName : texts.byAttribute(attribute)}
      aside={
        <span className={styles.end}>
          <AsOf at={stats.dataUpdatedAt} />
          {choice}
        </span>
      }
      inset="flush"
    >
      {stats.error !== null && <FailureNote error={stats.error} onRetry={() => void stats.refetch()} />}
      <div className={styles.wide}>
        <Table
          label={texts.breakdown}
          rows={stats.error === null ? rows : []}
          keyOf={({ value }) => encodeJson(value)}
          columns={columns}
          empty={<p className={`${styles.pad} quiet small`}>{texts.noValues}</p>}
        />
      </div>
    </Card>
  )
}

const NO_NAMES: readonly string[] = []

function useAttributes(name: string): string[] {
  const { data } = useRead(
    'GET /api/v1/events/schema',
    { query: { prefix: name, limit: 50 } },
    { isEnabled: name !== '' },
  )
  const found = data?.events.find((event) => event.event_name === name)
  return [...(found?.attributes.map((attribute) => attribute.name) ?? NO_NAMES)]
}

type Addresses = { readonly from: string; readonly name?: string; readonly attribute?: string }

function useColumns(rows: readonly Row[], addresses: Addresses): readonly Column<Row>[] {
  const { trend: texts } = useTexts(EVENTS_TEXTS)
  const [words] = useSearchWords()
  const total = rows.reduce((sum, { count }) => sum + count, 0)
  const { name, attribute } = addresses
  const rowsOf = ({ value }: Row): string =>
    name === undefined
      ? rowsAddress({ ...addresses, name: valueText(value, '') })
      : rowsAddress({ ...addresses, value: encodeJson(value) })
  return [
    {
      name: attribute ?? texts.name,
      cell: ({ value }) =>
        name === undefined ? (
          <NameLink words={words} name={valueText(value, '')} />
        ) : (
          valueText(value, texts.without)
        ),
    },
    { name: texts.share, cell: ({ count }) => <ShareBar share={total === 0 ? 0 : count / total} /> },
    { name: texts.count, kind: 'number', cell: (row) => <Count value={row.count} to={rowsOf(row)} /> },
    { name: texts.people, kind: 'number', cell: (row) => <Count value={row.people} to={rowsOf(row)} /> },
    { name: texts.ltv, kind: 'number', cell: (row) => <Amount value={Number(row.ltv)} to={rowsOf(row)} /> },
  ]
}

function NameLink({
  words,
  name,
}: {
  readonly words: Readonly<Record<string, string | undefined>>
  readonly name: string
}) {
  return <Link to={addressOf('/events/trend', { ...words, name })}>{name}</Link>
}
