import { NativeSelect, Select } from '@mantine/core'
import { useTexts } from '../texts.tsx'
import { AttributeFields } from './attribute-fields.tsx'
import { Comparison } from './comparison.tsx'
import { EventFields } from './event-fields.tsx'
import { NameField, UsersField } from './fields.tsx'
import styles from './filter.module.css'
import { useSegmentChoices } from './filter-sentence.tsx'
import { FILTER_TEXTS } from './filter-texts.ts'
import { CHARS_MAX, type LeafProps } from './leaf.ts'
import { useTagNames } from './names.ts'
import { textOf } from './values.ts'
import { newLeaf, SUBJECTS, subjectIn, subjectOf } from './written.ts'

type ConditionProps = LeafProps & { readonly isNew: boolean }

/** One condition: what it is about, and the fields of that. */
export function Condition({ leaf, isNew, onChange }: ConditionProps) {
  const texts = useTexts(FILTER_TEXTS)
  const subject = subjectOf(leaf) ?? 'attribute'
  const groups = [
    { group: texts.subjectGroups.person, names: SUBJECTS.person },
    { group: texts.subjectGroups.device, names: SUBJECTS.device },
  ]
  return (
    <>
      <NativeSelect
        className={styles.subject}
        size="xs"
        aria-label={texts.subject}
        autoFocus={isNew}
        value={subject}
        data={groups.map(({ group, names }) => ({
          group,
          items: names.map((value) => ({ value, label: texts.subjects[value] })),
        }))}
        onChange={({ currentTarget }) => {
          const chosen = subjectIn(currentTarget.value)
          if (chosen !== null) onChange(newLeaf(chosen))
        }}
      />
      <Fields key={subject} leaf={leaf} onChange={onChange} />
    </>
  )
}

function Fields({ leaf, onChange }: LeafProps) {
  const texts = useTexts(FILTER_TEXTS)
  const subject = subjectOf(leaf)
  if (subject === 'attribute') return <AttributeFields leaf={leaf} event="" onChange={onChange} />
  if (subject === 'event') return <EventFields leaf={leaf} onChange={onChange} />
  if (subject === 'tag') return <TagField leaf={leaf} onChange={onChange} />
  if (subject === 'segment') return <SegmentField leaf={leaf} onChange={onChange} />
  if (subject !== 'users') return <Comparison leaf={leaf} event="" onChange={onChange} />
  const ids = leaf['users']
  const value = Array.isArray(ids) ? ids.map(textOf) : []
  return <UsersField label={texts.users} value={value} onChange={(users) => onChange({ users })} />
}

function TagField({ leaf, onChange }: LeafProps) {
  const texts = useTexts(FILTER_TEXTS)
  const tag = textOf(leaf['tag'])
  return (
    <NameField
      label={texts.tag}
      value={tag}
      choices={useTagNames(tag)}
      charsMax={CHARS_MAX.tag}
      onChange={(next) => onChange({ tag: next })}
    />
  )
}

function SegmentField({ leaf, onChange }: LeafProps) {
  const texts = useTexts(FILTER_TEXTS)
  const choices = useSegmentChoices()
  const id = textOf(leaf['segment'])
  const isListed = choices.some((choice) => String(choice.id) === id)
  const others = id === '' || isListed ? [] : [{ value: id, label: texts.unknownSegment(id) }]
  return (
    <Select
      className={styles.wide}
      size="xs"
      aria-label={texts.segment}
      placeholder={texts.segment}
      searchable
      limit={SHOWN_MAX}
      data={[...choices.map((choice) => ({ value: String(choice.id), label: choice.name })), ...others]}
      value={id === '' ? null : id}
      onChange={(chosen) => {
        const found = choices.find((choice) => String(choice.id) === chosen)
        if (found !== undefined) onChange({ segment: found.id })
      }}
    />
  )
}

const SHOWN_MAX = 50
