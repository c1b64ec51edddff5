import { useTexts } from '../texts.tsx'
import { Choice } from './fields.tsx'
import { FILTER_TEXTS } from './filter-texts.ts'
import type { ComparisonProps } from './leaf.ts'
import { ListValue, SingleValue } from './value-field.tsx'
import { textOf } from './values.ts'
import { operatorsOf, shapeOf, withOperator } from './written.ts'

/** How something is compared, and with what. */
export function Comparison({ leaf, event, onChange }: ComparisonProps) {
  const texts = useTexts(FILTER_TEXTS)
  const labels: Readonly<Record<string, string>> = texts.operators
  const choices = Object.keys(operatorsOf(leaf)).map((is) => ({ value: is, label: labels[is] ?? is }))
  const shape = shapeOf(leaf)
  return (
    <>
      <Choice
        label={texts.operator}
        value={textOf(leaf['is'])}
        choices={choices}
        onChange={(is) => onChange(withOperator(leaf, is))}
      />
      {shape?.type === 'list' && <ListValue leaf={leaf} event={event} onChange={onChange} />}
      {shape !== null && shape.type !== 'list' && (
        <SingleValue leaf={leaf} event={event} onChange={onChange} />
      )}
    </>
  )
}
