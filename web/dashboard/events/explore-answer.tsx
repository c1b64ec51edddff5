import { Link, useGo } from '../kit/address.tsx'
import { useFormat } from '../kit/number.tsx'
import { Plot } from '../kit/plot.tsx'
import { Table } from '../kit/table.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { GroupChart } from './explore-lines.tsx'
import { useMeasureName } from './explore-question.ts'
import { type Answered, rowsAddressOf, spanBefore, spanPart, timeBefore } from './explore-rows.ts'
import { Measured, numberText } from './measured.tsx'
import { spanName } from './span-name.ts'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'

/** The number of the whole time, and its spans: as bars, or as a line for each group. */
export function Total({ answer, asked }: Answered) {
  const { explore: texts } = useTexts(EVENTS_TEXTS)
  const { total, groups, every } = answer
  const rowsFrom = rowsAddressOf({ answer, asked })
  return (
    <>
      <p className={styles.lead}>
        <Measured value={total.value} to={rowsFrom({})} />{' '}
        <Change now={total.value} before={total.before?.value} to={rowsFrom(timeBefore(answer))} />
      </p>
      {every === null && <p className="quiet small">{texts.noBars}</p>}
      {every !== null && groups.length === 0 && <Bars answer={answer} asked={asked} by={every} />}
      {every !== null && groups.length > 0 && <GroupChart answer={answer} asked={asked} by={every} />}
    </>
  )
}

function Bars({ answer, asked, by }: Answered & { readonly by: string }) {
  const { explore: texts, trend } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const { language } = useLanguage()
  const measured = useMeasureName()(asked)
  const { starts, total, time_zone: zone } = answer
  const spanOf = { by, zone, language }
  const before = total.before?.values ?? []
  const sayAt = (at: number): string => {
    const now = `${spanName(starts[at], spanOf, 'long')}: ${numberText(total.values[at], format.amount)}`
    return total.before === null ? now : `${now}, ${texts.was(numberText(before[at], format.amount))}`
  }
  const rowsFrom = rowsAddressOf({ answer, asked })
  const go = useGo()
  const isOpen = Date.parse(answer.to) > Date.now()
  return (
    <Plot
      label={`${measured}: ${numberText(total.value, format.amount)}`}
      names={starts.map((start) => spanName(start, spanOf, 'short'))}
      counts={total.values.map((value) => value ?? 0)}
      say={sayAt}
      rest={isOpen ? trend.rest(zone) : trend.inZone(zone)}
      isLastOpen={isOpen}
      onPick={(at) => {
        const to = rowsFrom(spanPart(answer, at))
        if (to !== null) go(to)
      }}
      figures={{
        title: trend.figures,
        table: <Figures answer={answer} asked={asked} />,
      }}
    />
  )
}

/** The number of each span, the latest first. */
function Figures({ answer, asked }: Answered) {
  const { explore: texts, trend } = useTexts(EVENTS_TEXTS)
  const measured = useMeasureName()(asked)
  const { language } = useLanguage()
  const { starts, total, every, time_zone: zone } = answer
  const spanOf = { by: every ?? '', zone, language }
  const before = total.before?.values ?? []
  const rows = starts.map((start, at) => ({ start, at }))
  const rowsFrom = rowsAddressOf({ answer, asked })
  return (
    <Table
      label={trend.figures}
      rows={rows.toReversed()}
      keyOf={({ start }) => start}
      columns={[
        { name: trend.span, cell: ({ at }) => spanName(starts[at], spanOf, 'long') },
        {
          name: measured,
          kind: 'number',
          cell: ({ at }) => <Measured value={total.values[at]} to={rowsFrom(spanPart(answer, at))} />,
        },
        ...(total.before === null
          ? []
          : [
              {
                name: texts.before,
                kind: 'number' as const,
                cell: ({ at }: { readonly at: number }) => (
                  <Measured value={before[at]} to={rowsFrom(spanBefore(answer, at))} />
                ),
              },
            ]),
      ]}
    />
  )
}

type ChangeProps = {
  readonly now: number | null
  readonly before: number | null | undefined
  /** The events of the time before; null where no address can have them. */
  readonly to: string | null
}

/** The change against the time before, in per cent, and the number of that time. */
function Change({ now, before, to }: ChangeProps) {
  const { explore: texts } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  if (before === undefined) return null
  const was = texts.was(numberText(before, format.amount))
  if (before === null || before === 0) return <span className="quiet small">{was}</span>
  const share = now === null ? null : (now - before) / Math.abs(before)
  return (
    <span className="quiet small">
      {share !== null && `${texts.change(format.share(share), share >= 0)} · `}
      {to === null ? was : <Link to={to}>{was}</Link>}
    </span>
  )
}
