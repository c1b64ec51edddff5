import { encodeJson } from '../../client/json.ts'
import { AsOf } from '../kit/as-of.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { useFormat } from '../kit/number.tsx'
import { type Column, Table } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import { useDurationText } from './duration-text.ts'
import { type Names, usePartColumns } from './part-columns.tsx'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'
import { ShareBar } from './tools.tsx'

type FunnelReply = ReplyOf<'POST /api/v1/events/funnel'>
type Reached = NonNullable<FunnelReply['groups']>[number]['steps'][number]

type Row = {
  readonly key: string
  /** Null: the rest. */
  readonly names: Names | null
  readonly steps: readonly Reached[]
}

type GroupsProps = {
  readonly reply: FunnelReply
  readonly steps: readonly string[]
  readonly parts: readonly string[]
  readonly readAt: number
}

/** The funnel of each group: how many reached each step, which share went all the way, and how long that took. */
export function FunnelGroups({ reply, steps, parts, readAt }: GroupsProps) {
  const { explore, funnel: texts, trend } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const durationText = useDurationText()
  const { groups = [], rest = null } = reply
  const rows: readonly Row[] = [
    ...groups.map((group) => ({ key: encodeJson(group.by), names: group.by, steps: group.steps })),
    ...(rest === null ? [] : [{ key: 'rest', names: null, steps: rest.steps }]),
  ]
  const columns: readonly Column<Row>[] = [
    ...usePartColumns(parts, rest?.groups),
    { name: texts.allTheWay, cell: (row) => <ShareBar share={shareOf(row)} /> },
    { name: trend.share, kind: 'number', cell: (row) => format.share(shareOf(row)) },
    ...steps.map((step, at) => ({
      // An event may be several steps.
      name: `${at + 1}. ${step}`,
      kind: 'number' as const,
      cell: (row: Row) => format.count(row.steps[at]?.users ?? 0),
    })),
    {
      name: texts.time,
      kind: 'number',
      cell: (row) => {
        const seconds = row.steps.at(-1)?.seconds ?? null
        return seconds === null ? '–' : durationText(seconds)
      },
    },
  ]
  return (
    <Card title={explore.groups} aside={<AsOf at={readAt} />} inset="flush">
      <div className={styles.wide}>
        <Table
          label={explore.groups}
          rows={rows}
          keyOf={({ key }) => key}
          columns={columns}
          empty={<p className={`${styles.pad} quiet small`}>{texts.nobody}</p>}
        />
      </div>
    </Card>
  )
}

function shareOf({ steps }: Row): number {
  const first = steps[0]?.users ?? 0
  return first === 0 ? 0 : (steps.at(-1)?.users ?? 0) / first
}
