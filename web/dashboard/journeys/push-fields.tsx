import { Button, NativeSelect, NumberInput, Switch, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { JOURNEY_ANYWHERE } from '../../../src/rules/journeys.ts'
import { PLATFORM_NAMES } from '../../../src/rules/platforms.ts'
import { PUSH_FIELDS } from '../../../src/rules/push-fields.ts'
import type { Json } from '../../client/json.ts'
import { useTexts } from '../kit/texts.tsx'
import { fieldsOf, plainOf, withField } from './draft.ts'
import { type FieldProps, useNames } from './field-props.ts'
import { JsonField } from './json-field.tsx'
import { JOURNEY_TEXTS } from './texts.ts'

const ALLOWED = PUSH_FIELDS.filter((row) => 'allowedInJourney' in row && row.allowedInJourney)
const FIRST: readonly string[] = ['title', 'message', 'url']

/** The message of a send: where to, the content, and every other field of a push that a journey may set. */
export function PushFields({ value, onChange, path, faults }: Omit<FieldProps, 'shape'>) {
  const texts = useTexts(JOURNEY_TEXTS)
  const { label, word } = useNames()
  const fields = fieldsOf(value)
  const rows = ALLOWED.filter(({ name }) => !FIRST.includes(name))
  const [isOpen, setIsOpen] = useState(rows.some(({ name }) => fields[name] !== undefined))
  const shown = FIRST.flatMap((name) => ALLOWED.filter((row) => row.name === name))
  return (
    <>
      <NativeSelect
        label={label('to')}
        value={plainOf(fields['to']) || JOURNEY_ANYWHERE}
        error={faults.get(`${path}.to`)}
        data={[JOURNEY_ANYWHERE, ...PLATFORM_NAMES].map((name) => ({ value: name, label: word(name) }))}
        onChange={({ currentTarget }) => onChange({ ...fields, to: currentTarget.value })}
      />
      {(isOpen ? [...shown, ...rows] : shown).map(({ name, shape }) => (
        <PushField
          key={name}
          name={name}
          shape={shape}
          value={fields[name]}
          fault={faults.get(`${path}.${name}`)}
          onChange={(changed) => onChange(withField(fields, name, changed === '' ? undefined : changed))}
        />
      ))}
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? texts.less : texts.more}
      </Button>
    </>
  )
}

type PushFieldProps = {
  readonly name: string
  readonly shape: (typeof ALLOWED)[number]['shape']
  readonly value: Json | undefined
  readonly fault: string | undefined
  readonly onChange: (value: Json | undefined) => void
}

function PushField({ name, shape, value, fault, onChange }: PushFieldProps) {
  const { label, word } = useNames()
  const text = plainOf(value)
  const common = { label: label(name), error: fault }
  if (shape.type === 'boolean')
    return (
      <Switch
        {...common}
        checked={value === true}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? true : undefined)}
      />
    )
  if (shape.type === 'choice')
    return (
      <NativeSelect
        {...common}
        value={text}
        data={[{ value: '', label: '–' }, ...shape.oneOf.map((one) => ({ value: one, label: word(one) }))]}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    )
  if (shape.type === 'strings' || shape.type === 'object')
    return <JsonField name={name} value={value} fault={fault} onChange={onChange} />
  if (shape.type === 'integer' || shape.type === 'number')
    return (
      <NumberInput
        {...common}
        hideControls
        value={text}
        onChange={(typed) => onChange(typed === '' ? undefined : typed)}
      />
    )
  const Field = name === 'message' ? MessageField : TextInput
  return <Field {...common} value={text} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
}

function MessageField(props: Parameters<typeof Textarea>[0]) {
  return <Textarea autosize minRows={2} maxRows={8} {...props} />
}
