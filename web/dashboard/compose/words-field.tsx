import { Textarea, TextInput } from '@mantine/core'
import { useRef } from 'react'
import { FieldHead } from './field-head.tsx'
import type { Counter } from './limits.ts'
import styles from './page.module.css'

type WordsFieldProps = {
  readonly id: string
  readonly label: string
  readonly counter: Counter
  /** One line, or as many as the text needs. */
  readonly shape: 'line' | 'lines'
  readonly value: string
  readonly placeholder?: string
  readonly onChange: (text: string) => void
}

/** A text of a message, with a menu that puts facts about the person, and snippets, where the cursor is. */
export function WordsField({
  id,
  label,
  counter,
  shape,
  value,
  placeholder = '',
  onChange,
}: WordsFieldProps) {
  const place = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const insert = (tag: string): void => {
    const at = place.current?.selectionStart ?? value.length
    onChange(`${value.slice(0, at)}${tag}${value.slice(place.current?.selectionEnd ?? at)}`)
    place.current?.focus()
  }
  const common = {
    id,
    ref: place,
    value,
    placeholder,
    error: counter.isOver,
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange(currentTarget.value),
  }
  return (
    <div className={styles.field}>
      <FieldHead htmlFor={id} label={label} counter={counter} onInsert={insert} />
      {shape === 'line' ? (
        <TextInput {...common} />
      ) : (
        <Textarea {...common} autosize minRows={2} maxRows={8} />
      )}
    </div>
  )
}
