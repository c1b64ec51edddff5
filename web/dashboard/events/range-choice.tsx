import { SegmentedControl, TextInput } from '@mantine/core'
import { useSearchWords } from '../kit/address.tsx'
import { useTexts } from '../kit/texts.tsx'
import { useTyped } from '../kit/typing.ts'
import { type AskedTime, dayWord } from './asked-time.ts'
import { addDays, dayIn, LENGTHS, LONG_RANGES, type RangeName, useRange } from './range.ts'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'

type Words = Readonly<Record<string, string>>

type RangeChoiceProps = {
  readonly names: readonly RangeName[]
  /** Words of the address that another time makes meaningless. */
  readonly stale?: Words
}

/** One of the time ranges, kept in the address. */
export function RangeChoice({ names, stale = {} }: RangeChoiceProps) {
  const texts = useTexts(EVENTS_TEXTS)
  const [, change] = useSearchWords()
  const range = useRange(names)
  return (
    <SegmentedControl
      aria-label={texts.range}
      value={range}
      onChange={(chosen) => change({ range: chosen === '30d' ? '' : chosen, ...datesOf(chosen), ...stale })}
      data={names.map((name) => ({ value: name, label: texts.ranges[name] }))}
    />
  )
}

/** The dates that stand in the fields at first: the last 30 days. No other range has dates. */
function datesOf(range: string): { readonly from: string; readonly to: string } {
  if (range !== 'dates') return { from: '', to: '' }
  const today = dayIn(undefined, Date.now())
  return { from: addDays(today, 1 - LENGTHS['30d']), to: today }
}

/** Any of the time ranges; two fields where the reader wants dates of their own. */
export function TimeChoice({ time, stale = {} }: { readonly time: AskedTime; readonly stale?: Words }) {
  return (
    <>
      <RangeChoice names={LONG_RANGES} stale={stale} />
      {time.range === 'dates' && (
        <div className={styles.dates}>
          <DayField word="from" day={time.from} most={time.to} stale={stale} />
          <DayField word="to" day={time.to ?? ''} least={time.from} stale={stale} />
        </div>
      )}
    </>
  )
}

type DayFieldProps = {
  readonly word: 'from' | 'to'
  readonly day: string
  readonly least?: string
  readonly most?: string | undefined
  readonly stale: Words
}

function DayField({ word, day, least, most, stale }: DayFieldProps) {
  const { dates } = useTexts(EVENTS_TEXTS)
  const [, change] = useSearchWords()
  const typed = useTyped({
    value: day,
    onChange: (text) => {
      if (dayWord(text) !== undefined) change({ [word]: text, ...stale })
    },
  })
  return <TextInput type="date" aria-label={dates[word]} min={least} max={most} {...typed} />
}
