import { useTexts } from '../texts.tsx'
import { Comparison } from './comparison.tsx'
import { NameField } from './fields.tsx'
import { FILTER_TEXTS } from './filter-texts.ts'
import { CHARS_MAX, type ComparisonProps } from './leaf.ts'
import { useAttributeNames } from './names.ts'
import { textOf } from './values.ts'

/** An attribute of the person or, with `event`, of an event. */
export function AttributeFields({ leaf, event, onChange }: ComparisonProps) {
  const texts = useTexts(FILTER_TEXTS)
  const name = textOf(leaf['attribute'])
  return (
    <>
      <NameField
        label={texts.attribute}
        value={name}
        choices={useAttributeNames(name, event)}
        charsMax={CHARS_MAX.attribute}
        onChange={(attribute) => onChange({ ...leaf, attribute })}
      />
      <Comparison leaf={leaf} event={event} onChange={onChange} />
    </>
  )
}
