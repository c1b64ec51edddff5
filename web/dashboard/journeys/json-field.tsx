import { Textarea } from '@mantine/core'
import { useState } from 'react'
import type { Json } from '../../client/json.ts'
import { encodeJson, parseJson } from '../../client/json.ts'
import { useTexts } from '../kit/texts.tsx'
import { fieldsOf } from './draft.ts'
import { useNames } from './field-props.ts'
import { JOURNEY_TEXTS } from './texts.ts'

type JsonFieldProps = {
  readonly name: string
  readonly value: Json | undefined
  readonly fault: string | undefined
  readonly onChange: (value: Json | undefined) => void
}

/** An object of the author's own, as JSON. What is no JSON yet stays in the field only. */
export function JsonField({ name, value, fault, onChange }: JsonFieldProps) {
  const texts = useTexts(JOURNEY_TEXTS)
  const { label } = useNames()
  const [typed, setTyped] = useState(value === undefined ? '' : encodeJson(value))
  const parsed = parsedOf(typed)
  return (
    <Textarea
      label={label(name)}
      description={texts.json}
      autosize
      minRows={1}
      maxRows={10}
      value={typed}
      error={parsed === null ? texts.isNotJson : fault}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        const now = parsedOf(currentTarget.value)
        if (now !== null) onChange(currentTarget.value.trim() === '' ? undefined : now)
      }}
    />
  )
}

function parsedOf(text: string): Json | null {
  if (text.trim() === '') return {}
  try {
    return fieldsOf(parseJson(text))
  } catch {
    return null
  }
}
