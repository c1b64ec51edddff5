import { encodeJson } from '../../client/json.ts'
import { AsOf } from '../kit/as-of.tsx'
import { Card } from '../kit/card.tsx'
import { type Column, Table } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import { useMeasureName } from './explore-question.ts'
import { type Answered, groupPart, rowsAddressOf, timeBefore } from './explore-rows.ts'
import { type GroupScale, groupScale } from './group-scale.ts'
import { GROUP_TEXTS } from './group-texts.ts'
import { Measured } from './measured.tsx'
import { type Names, usePartColumns } from './part-columns.tsx'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'
import { ShareBar } from './tools.tsx'

type GroupRow = {
  readonly key: string
  /** Null: the rest. */
  readonly names: Names | null
  readonly value: number | null
  readonly before: number | null | undefined
}

/** The largest groups, and the rest in one line. */
export function Groups({ answer, asked, readAt }: Answered & { readonly readAt: number }) {
  const { explore: texts, trend } = useTexts(EVENTS_TEXTS)
  const measured = useMeasureName()(asked)
  const scaleColumn = useScaleColumn()
  const { groups, rest, total } = answer
  const rows: readonly GroupRow[] = [
    ...groups.map(({ by, value, before }) => ({
      key: encodeJson(by),
      names: by,
      value,
      before: before?.value,
    })),
    ...(rest === null ? [] : [{ key: 'rest', names: null, value: rest.value, before: rest.before?.value }]),
  ]
  const rowsFrom = rowsAddressOf({ answer, asked })
  const columns: readonly Column<GroupRow>[] = [
    ...usePartColumns(asked.parts, rest?.groups),
    ...scaleColumn(groupScale(answer)),
    {
      name: measured,
      kind: 'number',
      cell: ({ names, value }) => <Measured value={value} to={rowsFrom(groupPart(names, answer))} />,
    },
    ...(total.before === null
      ? []
      : [
          {
            name: texts.before,
            kind: 'number' as const,
            cell: ({ names, before }: GroupRow) => (
              <Measured
                value={before}
                to={rowsFrom({ ...timeBefore(answer), ...groupPart(names, answer) })}
              />
            ),
          },
        ]),
  ]
  return (
    <Card title={texts.groups} aside={<AsOf at={readAt} />} inset="flush">
      <div className={styles.wide}>
        <Table
          label={texts.groups}
          rows={rows}
          keyOf={({ key }) => key}
          columns={columns}
          empty={<p className={`${styles.pad} quiet small`}>{trend.noValues}</p>}
        />
      </div>
    </Card>
  )
}

/** The column of the bars, where the numbers can have bars. */
function useScaleColumn(): (scale: GroupScale | null) => readonly Column<GroupRow>[] {
  const { scale: names } = useTexts(GROUP_TEXTS)
  return (scale) => {
    if (scale === null) return []
    const { kind, full } = scale
    return [
      {
        name: names[kind],
        cell: ({ value }) => <ShareBar share={full === 0 ? 0 : (value ?? 0) / full} />,
      },
    ]
  }
}
