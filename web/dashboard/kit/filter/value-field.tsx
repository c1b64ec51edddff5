import { Checkbox, TagsInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { SEGMENT_LIMITS } from '../../../../src/rules/segments.ts'
import type { Json } from '../../../client/json.ts'
import { useTexts } from '../texts.tsx'
import { Choice, NameField, NumberField } from './fields.tsx'
import styles from './filter.module.css'
import { FILTER_TEXTS } from './filter-texts.ts'
import type { ComparisonProps } from './leaf.ts'
import { useAttributeType, useValues } from './names.ts'
import {
  convert,
  labelsOf,
  textOf,
  typeOfValue,
  VALUE_TYPES,
  type ValueType,
  valueIn,
  valuesOf,
} from './values.ts'
import { shapeOf, subjectOf, type Written } from './written.ts'

/** One value, in the field that its shape asks for. */
export function SingleValue(props: ComparisonProps) {
  const texts = useTexts(FILTER_TEXTS)
  const { leaf, onChange } = props
  const shape = shapeOf(leaf)
  const value = leaf['value']
  const set = (next: Json): void => onChange({ ...leaf, value: next })
  if (shape?.type === 'number') {
    return <NumberField label={texts.value} value={numericOf(value)} onChange={set} />
  }
  if (shape?.type === 'integer') {
    return (
      <>
        <NumberField label={texts.days} value={numericOf(value)} onChange={set} />
        <span className={styles.unit}>{texts.daysUnit}</span>
      </>
    )
  }
  if (shape?.type === 'date') return <DateField value={textOf(value)} onChange={set} />
  return shape?.type === 'scalar' ? <ScalarField {...props} /> : <TextField {...props} />
}

function numericOf(value: Json | undefined): number | bigint | null {
  return typeof value === 'number' || typeof value === 'bigint' ? value : null
}

function TextField({ leaf, event, onChange }: ComparisonProps) {
  const texts = useTexts(FILTER_TEXTS)
  const typed = textOf(leaf['value'])
  const choices = useValues({ subject: subjectOf(leaf), name: textOf(leaf['attribute']), event, typed })
  return (
    <NameField
      label={texts.value}
      value={typed}
      choices={choices}
      charsMax={SEGMENT_LIMITS.valueCharsMax}
      onChange={(value) => onChange({ ...leaf, value })}
    />
  )
}

/** The type that new values get: that of the value, else the chosen one, else the one that the attribute is locked to. */
function useValueType(leaf: Written, event: string): readonly [ValueType, (type: ValueType) => void] {
  const [chosen, setChosen] = useState<ValueType | null>(null)
  const locked = useAttributeType(attributeIn(leaf), event)
  return [typeOfValue(leaf['value']) ?? chosen ?? locked ?? 'text', setChosen]
}

function attributeIn(leaf: Written): string {
  return subjectOf(leaf) === 'attribute' ? textOf(leaf['attribute']) : ''
}

/** Says that a value is of another type than the attribute is locked to, so that it finds nobody. */
function TypeNote({ leaf, event }: Pick<ComparisonProps, 'leaf' | 'event'>) {
  const texts = useTexts(FILTER_TEXTS)
  const name = attributeIn(leaf)
  const locked = useAttributeType(name, event)
  const type = typeOfValue(leaf['value'])
  if (locked === null || type === null || locked === type) return null
  return <span className={styles.note}>{texts.otherType(name, texts.types[locked])}</span>
}

/** The value of an attribute, with its type: a text never equals a number. */
function ScalarField(props: ComparisonProps) {
  const texts = useTexts(FILTER_TEXTS)
  const { leaf, event, onChange } = props
  const [type, choose] = useValueType(leaf, event)
  const value = leaf['value']
  const set = (next: Json): void => onChange({ ...leaf, value: next })
  return (
    <>
      {type === 'text' && <TextField {...props} />}
      {type === 'number' && <NumberField label={texts.value} value={numericOf(value)} onChange={set} />}
      {type === 'boolean' && (
        <Choice
          label={texts.value}
          value={textOf(value)}
          choices={[
            ...(value === null ? [{ value: '', label: '–' }] : []),
            { value: 'true', label: texts.yes },
            { value: 'false', label: texts.no },
          ]}
          onChange={(text) => set(valueIn(text, 'boolean'))}
        />
      )}
      <TypeChoice
        type={type}
        onChange={(next) => {
          choose(next)
          set(convert(value, next))
        }}
      />
      <TypeNote leaf={leaf} event={event} />
    </>
  )
}

function TypeChoice({
  type,
  onChange,
}: {
  readonly type: ValueType
  readonly onChange: (type: ValueType) => void
}) {
  const texts = useTexts(FILTER_TEXTS)
  const choices = VALUE_TYPES.map((value) => ({ value, label: texts.types[value] }))
  return <Choice label={texts.type} value={type} choices={choices} onChange={onChange} />
}

/** Several values. */
export function ListValue({ leaf, event, onChange }: ComparisonProps) {
  const texts = useTexts(FILTER_TEXTS)
  const [typed, setTyped] = useState('')
  const shape = shapeOf(leaf)
  const [found, choose] = useValueType(leaf, event)
  const type = shape?.type === 'list' && shape.of.type === 'number' ? 'number' : found
  const isAttribute = subjectOf(leaf) === 'attribute'
  const choices = useValues({ subject: subjectOf(leaf), name: textOf(leaf['attribute']), event, typed })
  const before = listIn(leaf['value'])
  return (
    <>
      <TagsInput
        className={styles.wide}
        size="xs"
        aria-label={texts.values}
        placeholder={before.length === 0 ? texts.valuesHint : ''}
        data={choices}
        acceptValueOnBlur
        maxTags={SEGMENT_LIMITS.valuesMax}
        searchValue={typed}
        onSearchChange={setTyped}
        value={[...labelsOf(before)]}
        onChange={(labels) => onChange({ ...leaf, value: valuesOf(labels, { before, type }) })}
      />
      {isAttribute && (
        <TypeChoice
          type={type}
          onChange={(next) => {
            choose(next)
            onChange({ ...leaf, value: convert(before, next) })
          }}
        />
      )}
      {isAttribute && <TypeNote leaf={leaf} event={event} />}
    </>
  )
}

function listIn(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

type DateFieldProps = { readonly value: string; readonly onChange: (value: Json) => void }

const DAY = /^(?:\d{4}-\d{2}-\d{2})?$/

/** A day from the browser's calendar, or an instant as it is written. */
function DateField({ value, onChange }: DateFieldProps) {
  const texts = useTexts(FILTER_TEXTS)
  const [isTimed, setIsTimed] = useState(!DAY.test(value))
  const set = (text: string): void => onChange(text === '' ? null : text)
  return (
    <>
      <TextInput
        key={String(isTimed)}
        className={styles.date}
        size="xs"
        aria-label={texts.value}
        type={isTimed ? 'text' : 'date'}
        placeholder={texts.dateHint}
        value={value}
        onChange={({ currentTarget }) => set(currentTarget.value)}
      />
      <Checkbox
        size="xs"
        label={texts.withTime}
        checked={isTimed}
        onChange={({ currentTarget }) => {
          setIsTimed(currentTarget.checked)
          set(currentTarget.checked && value !== '' ? `${value}T00:00:00Z` : value.slice(0, 10))
        }}
      />
    </>
  )
}
