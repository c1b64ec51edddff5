import { SEGMENT_COUNTS } from '../../../../src/rules/segments.ts'
import { useTexts } from '../texts.tsx'
import { Choice, NameField, NumberField } from './fields.tsx'
import styles from './filter.module.css'
import { FILTER_TEXTS } from './filter-texts.ts'
import { CHARS_MAX, type LeafProps } from './leaf.ts'
import { useEventNames } from './names.ts'
import { textOf } from './values.ts'
import { WhereList } from './where-list.tsx'
import { countOf, listOf, withCount, withDays, withWhere } from './written.ts'

/** Which event, how often, since when, and which of them. */
export function EventFields({ leaf, onChange }: LeafProps) {
  const texts = useTexts(FILTER_TEXTS)
  const name = textOf(leaf['event'])
  const count = countOf(leaf)
  return (
    <>
      <NameField
        label={texts.event}
        value={name}
        choices={useEventNames(name)}
        charsMax={CHARS_MAX.event}
        onChange={(event) => onChange({ ...leaf, event })}
      />
      <Choice
        label={texts.count}
        value={count.is}
        choices={SEGMENT_COUNTS.map((is) => ({ value: is, label: texts.counts[is] }))}
        onChange={(is) => onChange(withCount(leaf, { ...count, is }))}
      />
      <NumberField
        label={texts.times}
        value={count.value}
        onChange={(value) => onChange(withCount(leaf, { ...count, value: numberOrNull(value) }))}
      />
      <span className={styles.unit}>{texts.timesUnit}</span>
      <WindowFields leaf={leaf} onChange={onChange} />
      <WhereFields leaf={leaf} onChange={onChange} />
    </>
  )
}

function numberOrNull(value: number | bigint | null): number | null {
  return value === null ? null : Number(value)
}

const DAYS_FIRST = 30

function WindowFields({ leaf, onChange }: LeafProps) {
  const texts = useTexts(FILTER_TEXTS)
  const days = leaf['within_days']
  const isEver = days === undefined
  return (
    <>
      <Choice
        label={texts.window}
        value={isEver ? 'ever' : 'last'}
        choices={[
          { value: 'ever', label: texts.ever },
          { value: 'last', label: texts.last },
        ]}
        onChange={(when) => onChange(withDays(leaf, when === 'ever' ? undefined : DAYS_FIRST))}
      />
      {!isEver && (
        <>
          <NumberField
            label={texts.days}
            value={typeof days === 'number' ? days : null}
            onChange={(value) => onChange(withDays(leaf, numberOrNull(value)))}
          />
          <span className={styles.unit}>{texts.daysUnit}</span>
        </>
      )}
    </>
  )
}

/** Conditions on the event's own attributes, below it. */
function WhereFields({ leaf, onChange }: LeafProps) {
  return (
    <WhereList
      where={listOf(leaf['where'])}
      event={textOf(leaf['event'])}
      onChange={(where) => onChange(withWhere(leaf, where))}
    />
  )
}
