import type { Json } from '../../client/json.ts'
import { Card } from '../kit/card.tsx'
import { useFormat } from '../kit/number.tsx'
import { Plot } from '../kit/plot.tsx'
import { type Column, Table } from '../kit/table.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { type Asked, partName } from './explore-question.ts'
import type { EventAnswer } from './replies.ts'
import { spanName } from './span-name.ts'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'
import { ShareBar } from './tools.tsx'
import { valueText } from './value-text.ts'

type AnswerProps = { readonly answer: EventAnswer; readonly asked: Asked }

/** The number of the whole time, and the spans as bars. */
export function Total({ answer, asked }: AnswerProps) {
  const { explore: texts, trend } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const { language } = useLanguage()
  const { starts, total, every, time_zone: zone } = answer
  const spanOf = { by: every ?? '', zone, language }
  const counts = total.values.map((value) => value ?? 0)
  const before = total.before?.values ?? []
  const sayAt = (at: number): string => {
    const now = `${spanName(starts[at], spanOf, 'long')}: ${numberText(total.values[at], format.amount)}`
    return total.before === null ? now : `${now}, ${texts.was(numberText(before[at], format.amount))}`
  }
  const rows = starts.map((start, at) => ({ start, at }))
  return (
    <>
      <p className={styles.lead}>
        {numberText(total.value, format.amount)} <Change now={total.value} before={total.before?.value} />
      </p>
      <Plot
        label={`${texts.measures[asked.measure]}: ${numberText(total.value, format.amount)}`}
        names={starts.map((start) => spanName(start, spanOf, 'short'))}
        counts={counts}
        say={sayAt}
        rest={trend.rest(zone)}
        isLastOpen
        figures={{
          title: trend.figures,
          table: (
            <Table
              label={trend.figures}
              rows={rows.toReversed()}
              keyOf={({ start }) => start}
              columns={[
                { name: trend.span, cell: ({ at }) => spanName(starts[at], spanOf, 'long') },
                {
                  name: texts.measures[asked.measure],
                  kind: 'number',
                  cell: ({ at }) => numberText(total.values[at], format.amount),
                },
                ...(total.before === null
                  ? []
                  : [
                      {
                        name: texts.before,
                        kind: 'number' as const,
                        cell: ({ at }: { readonly at: number }) => numberText(before[at], format.amount),
                      },
                    ]),
              ]}
            />
          ),
        }}
      />
    </>
  )
}

/** Where there is nothing to average, there is no number. */
function numberText(value: number | null | undefined, amount: (value: number) => string): string {
  return value === null || value === undefined ? '–' : amount(value)
}

type ChangeProps = { readonly now: number | null; readonly before: number | null | undefined }

/** The change against the time before, in per cent. */
function Change({ now, before }: ChangeProps) {
  const { explore: texts } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  if (before === undefined) return null
  if (before === null || before === 0 || now === null) {
    return <span className="quiet small">{texts.was(numberText(before, format.amount))}</span>
  }
  const share = (now - before) / Math.abs(before)
  return <span className="quiet small">{texts.change(format.share(share), share >= 0)}</span>
}

type GroupRow = {
  readonly key: string
  readonly names: readonly (Json | undefined)[] | null
  readonly value: number | null
  readonly before: number | null | undefined
}

/** The largest groups, and the rest in one line. */
export function Groups({ answer, asked }: AnswerProps) {
  const { explore: texts, trend } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const { groups, rest, total } = answer
  const rows: readonly GroupRow[] = [
    ...groups.map(({ by, value, before }) => ({
      key: JSON.stringify(by),
      names: by,
      value,
      before: before?.value,
    })),
    ...(rest === null ? [] : [{ key: 'rest', names: null, value: rest.value, before: rest.before?.value }]),
  ]
  const whole = total.value ?? 0
  const columns: readonly Column<GroupRow>[] = [
    ...asked.parts.map((part, at) => ({
      name: partName(part, texts.event),
      cell: ({ names }: GroupRow) => {
        if (names === null) return at === 0 ? texts.others(format.count(rest?.groups ?? 0)) : ''
        return valueText(names[at], trend.without)
      },
    })),
    { name: trend.share, cell: ({ value }) => <ShareBar share={whole === 0 ? 0 : (value ?? 0) / whole} /> },
    {
      name: texts.measures[asked.measure],
      kind: 'number',
      cell: ({ value }) => numberText(value, format.amount),
    },
    ...(total.before === null
      ? []
      : [
          {
            name: texts.before,
            kind: 'number' as const,
            cell: ({ before }: GroupRow) => numberText(before, format.amount),
          },
        ]),
  ]
  return (
    <Card title={texts.groups} inset="flush">
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
