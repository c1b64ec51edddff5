import { encodeJson } from '../../client/json.ts'
import { Link, useGo } from '../kit/address.tsx'
import { LinePlot } from '../kit/line-plot.tsx'
import { useFormat } from '../kit/number.tsx'
import { type Column, Table } from '../kit/table.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { useMeasureName } from './explore-question.ts'
import { type Answered, groupPart, rowsAddressOf, spanBefore, spanPart } from './explore-rows.ts'
import { groupLines } from './group-lines.ts'
import { GROUP_TEXTS } from './group-texts.ts'
import { Measured, numberText } from './measured.tsx'
import { type Names, useGroupName } from './part-columns.tsx'
import type { EventAnswer } from './replies.ts'
import { spanName } from './span-name.ts'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'

type ChartProps = Answered & { readonly by: string }

/** A line for each of the largest groups and the rest; below, the number of every group in every span. */
export function GroupChart({ answer, asked, by }: ChartProps) {
  const { trend } = useTexts(EVENTS_TEXTS)
  const texts = useTexts(GROUP_TEXTS)
  const format = useFormat()
  const { language } = useLanguage()
  const measured = useMeasureName()(asked)
  const nameOf = useGroupName()
  const go = useGo()
  const { starts, time_zone: zone } = answer
  const spanOf = { by, zone, language }
  const { lines, others, areLeft } = groupLines(answer)
  const rowsFrom = rowsAddressOf({ answer, asked })
  return (
    <LinePlot
      label={texts.chart(measured)}
      names={starts.map((start) => spanName(start, spanOf, 'short'))}
      lines={lines.map(({ names, value, values }) => ({
        key: encodeJson(names),
        name: nameOf(names, others),
        values,
        whole: value,
      }))}
      legend={texts.legend}
      figureText={(value) => numberText(value, format.amount)}
      say={(at) => spanName(starts[at], spanOf, 'long')}
      rest={Date.parse(answer.to) > Date.now() ? texts.rest(zone) : trend.inZone(zone)}
      onPick={(at) => {
        const to = rowsFrom(spanPart(answer, at))
        if (to !== null) go(to)
      }}
      note={areLeft ? texts.left(format.count(lines.length)) : undefined}
      figures={{
        title: trend.figures,
        table: <Figures answer={answer} asked={asked} by={by} />,
      }}
    />
  )
}

type SpanRow = { readonly start: string; readonly at: number }
type Line = Pick<EventAnswer['total'], 'values' | 'before'>

/** The number of each group in each span, the latest span first. */
function Figures({ answer, asked, by }: ChartProps) {
  const { trend } = useTexts(EVENTS_TEXTS)
  const texts = useTexts(GROUP_TEXTS)
  const { language } = useLanguage()
  const nameOf = useGroupName()
  const { starts, groups, rest, total, time_zone: zone } = answer
  const of = { answer, asked }
  const columns: readonly Column<SpanRow>[] = [
    { name: trend.span, cell: ({ start }) => spanName(start, { by, zone, language }, 'long') },
    ...groups.map((line) =>
      columnOf({ ...of, key: encodeJson(line.by), name: nameOf(line.by), line, names: line.by }),
    ),
    ...(rest === null
      ? []
      : [columnOf({ ...of, key: 'rest', name: nameOf(null, rest.groups), line: rest, names: null })]),
    columnOf({ ...of, key: 'total', name: texts.all, line: total }),
  ]
  return (
    <div className={styles.spans}>
      <Table
        label={trend.figures}
        rows={starts.map((start, at) => ({ start, at })).toReversed()}
        keyOf={({ start }) => start}
        columns={columns}
      />
    </div>
  )
}

type ColumnOf = Omit<CellProps, 'at'> & Pick<Column<SpanRow>, 'name'> & { readonly key: string }

function columnOf({ key, name, ...cells }: ColumnOf): Column<SpanRow> {
  return { key, name, kind: 'number', cell: ({ at }) => <Cell {...cells} at={at} /> }
}

type CellProps = Answered & {
  readonly line: Line
  /** The group; null: the rest; undefined: all events. */
  readonly names?: Names | null
  readonly at: number
}

/** The number of a span and, when asked for, that of the span in its place in the time before. */
function Cell({ answer, asked, line: { values, before }, names, at }: CellProps) {
  const { explore: texts } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const group = names === undefined ? {} : groupPart(names, answer)
  const rowsFrom = rowsAddressOf({ answer, asked })
  const was = before?.values[at]
  const wasText = texts.was(numberText(was, format.amount))
  const toBefore = was ? rowsFrom({ ...spanBefore(answer, at), ...group }) : null
  return (
    <>
      <Measured value={values[at]} to={rowsFrom({ ...spanPart(answer, at), ...group })} />
      {before !== null && (
        <span className={styles.was}>
          {toBefore === null ? wasText : <Link to={toBefore}>{wasText}</Link>}
        </span>
      )}
    </>
  )
}
