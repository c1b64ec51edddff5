import { Autocomplete, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import styles from './filter.module.css'
import { numberIn, userIdsIn } from './values.ts'

type NameFieldProps = {
  readonly label: string
  readonly value: string
  readonly choices: string[]
  readonly charsMax: number
  readonly onChange: (name: string) => void
}

/** A name that can be typed freely; known ones are offered. */
export function NameField({ label, value, choices, charsMax, onChange }: NameFieldProps) {
  return (
    <Autocomplete
      className={styles.name}
      size="xs"
      aria-label={label}
      placeholder={label}
      value={value}
      data={choices}
      // The catalogue has chosen already; a filter of its own would hide what it found in another case.
      filter={({ options }) => options}
      limit={CHOICES_MAX}
      maxLength={charsMax}
      onChange={onChange}
    />
  )
}

const CHOICES_MAX = 30

type NumberFieldProps = {
  readonly label: string
  readonly value: number | bigint | null
  readonly onChange: (value: number | bigint | null) => void
}

/** A number as text, so that a long one stays exact and a half-typed one stays as it is. */
export function NumberField({ label, value, onChange }: NumberFieldProps) {
  const [typed, setTyped] = useState('')
  const shown = numberIn(typed) === value ? typed : String(value ?? '')
  return (
    <TextInput
      className={styles.number}
      size="xs"
      aria-label={label}
      inputMode="decimal"
      value={shown}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        onChange(numberIn(currentTarget.value))
      }}
    />
  )
}

type UsersFieldProps = {
  readonly label: string
  readonly value: readonly string[]
  readonly onChange: (ids: readonly string[]) => void
}

/** User ids, one a line, so that a column of a table can be pasted. */
export function UsersField({ label, value, onChange }: UsersFieldProps) {
  const [typed, setTyped] = useState(value.join('\n'))
  const isOwn = userIdsIn(typed).join('\n') === value.join('\n')
  return (
    <Textarea
      className={styles.wide}
      size="xs"
      aria-label={label}
      placeholder={label}
      autosize
      minRows={2}
      maxRows={8}
      value={isOwn ? typed : value.join('\n')}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        onChange(userIdsIn(currentTarget.value))
      }}
    />
  )
}

type ChoiceProps<Value extends string> = {
  readonly label: string
  readonly value: Value
  readonly choices: readonly { readonly value: Value; readonly label: string }[]
  readonly onChange: (value: Value) => void
}

/** A choice of a few words. The browser's own list is the quickest by keyboard, and reads best. */
export function Choice<Value extends string>({ label, value, choices, onChange }: ChoiceProps<Value>) {
  return (
    <NativeSelect
      className={styles.choice}
      size="xs"
      aria-label={label}
      value={value}
      data={choices.map((choice) => ({ ...choice }))}
      onChange={({ currentTarget }) => {
        const chosen = choices.find((choice) => choice.value === currentTarget.value)
        if (chosen !== undefined) onChange(chosen.value)
      }}
    />
  )
}
