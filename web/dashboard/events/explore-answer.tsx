import { encodeJson, type Json } from '../../client/json.ts'
import { Link, useGo } from '../kit/address.tsx'
import { AsOf } from '../kit/as-of.tsx'
import { Card } from '../kit/card.tsx'
import { Amount, useFormat } from '../kit/number.tsx'
import { Plot } from '../kit/plot.tsx'
import { type Column, Table } from '../kit/table.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { type Asked, useMeasureName, whereText, wholePeople } from './explore-question.ts'
import { type Names, usePartColumns } from './part-columns.tsx'
import { partOf } from './parts.ts'
import { EVER, rowsAddress } from './range.ts'
import type { EventAnswer } from './replies.ts'
import { spanName } from './span-name.ts'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'
import { ShareBar } from './tools.tsx'

type AnswerProps = { readonly answer: EventAnswer; readonly asked: Asked }

/** The number of the whole time, and the spans as bars. */
export function Total({ answer, asked }: AnswerProps) {
  const { explore: texts } = useTexts(EVENTS_TEXTS)
  const { total, every } = answer
  const rowsFrom = rowsAddressOf({ answer, asked })
  return (
    <>
      <p className={styles.lead}>
        <Measured value={total.value} to={rowsFrom({})} />{' '}
        <Change now={total.value} before={total.before?.value} to={rowsFrom(timeBefore(answer))} />
      </p>
      {every === null ? (
        <p className="quiet small">{texts.noBars}</p>
      ) : (
        <Bars answer={answer} asked={asked} by={every} />
      )}
    </>
  )
}

function Bars({ answer, asked, by }: AnswerProps & { readonly by: string }) {
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
function Figures({ answer, asked }: AnswerProps) {
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

type MeasuredProps = {
  readonly value: number | null | undefined
  /** Null where no address can have just these events. */
  readonly to: string | null
}

/** A number that leads to the events it was made from. Where there is nothing to average, there is no number. */
function Measured({ value, to }: MeasuredProps) {
  if (value === null || value === undefined) return <span className="num">{NO_NUMBER}</span>
  return <Amount value={value} to={to ?? undefined} />
}

const NO_NUMBER = '–'

type RowsPart = {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly group?: Json
  /** The groups that are left out. */
  readonly others?: Json
}

/** The address of the events behind a number of the answer: of the whole, of a span, or of a group. Null for one that is too long. */
function rowsAddressOf({ answer, asked }: AnswerProps): (part: RowsPart) => string | null {
  const { name, segment, parts, where, time } = asked
  const people = wholePeople(asked)
  const first = time.days === null ? EVER : answer.starts[0]
  const last = time.to === undefined ? undefined : answer.to
  return ({ from = first, to = last, group, others }) =>
    shortEnough(
      rowsAddress({
        ...(name === '' ? {} : { name }),
        ...(segment === '' ? {} : { segment }),
        ...(people === null ? {} : { people: encodeJson(people) }),
        ...(where.length === 0 ? {} : { where: whereText(where) }),
        ...(group === undefined && others === undefined ? {} : { by: encodeJson(parts.flatMap(partOf)) }),
        ...(group === undefined ? {} : { group: encodeJson(group) }),
        ...(others === undefined ? {} : { others: encodeJson(others) }),
        from,
        to,
      }),
    )
}

/** The events of a group. Without names it is the rest: the events of none of the groups that are shown. */
function groupPart(names: Names | null, { groups }: EventAnswer): RowsPart {
  if (names === null) return { others: groups.map(({ by }) => keyOf(by)) }
  return { group: keyOf(names) }
}

function keyOf(names: Names): Json {
  return names.map((one) => one ?? null)
}

function spanPart({ starts }: EventAnswer, at: number): RowsPart {
  return { from: starts[at], to: starts[at + 1] }
}

/** The span of the time before that has this place. */
function spanBefore({ before_starts: starts, from: end }: EventAnswer, at: number): RowsPart {
  return { from: starts[at], to: starts[at + 1] ?? end }
}

/** The time before, which ends where the answer begins. */
function timeBefore({ before_from: from, from: to }: EventAnswer): RowsPart {
  return from === null ? {} : { from, to }
}

function numberText(value: number | null | undefined, amount: (value: number) => string): string {
  return value === null || value === undefined ? NO_NUMBER : amount(value)
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

type GroupRow = {
  readonly key: string
  /** Null: the rest. */
  readonly names: Names | null
  readonly value: number | null
  readonly before: number | null | undefined
}

/** The largest groups, and the rest in one line. */
export function Groups({ answer, asked, readAt }: AnswerProps & { readonly readAt: number }) {
  const { explore: texts, trend } = useTexts(EVENTS_TEXTS)
  const measured = useMeasureName()(asked)
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
  const rowsOf = (names: Names | null, time: RowsPart): string | null =>
    rowsAddressOf({ answer, asked })({ ...time, ...groupPart(names, answer) })
  const whole = total.value ?? 0
  const columns: readonly Column<GroupRow>[] = [
    ...usePartColumns(asked.parts, rest?.groups),
    { name: trend.share, cell: ({ value }) => <ShareBar share={whole === 0 ? 0 : (value ?? 0) / whole} /> },
    {
      name: measured,
      kind: 'number',
      cell: ({ names, value }) => <Measured value={value} to={rowsOf(names, {})} />,
    },
    ...(total.before === null
      ? []
      : [
          {
            name: texts.before,
            kind: 'number' as const,
            cell: ({ names, before }: GroupRow) => (
              <Measured value={before} to={rowsOf(names, timeBefore(answer))} />
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

/** Groups may have long values and conditions may be many, and a server refuses an address that is longer than the head of a request. */
function shortEnough(address: string): string | null {
  return address.length > ADDRESS_CHARS_MAX ? null : address
}

const ADDRESS_CHARS_MAX = 8_000
