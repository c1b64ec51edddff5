import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useRead } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { TYPING_MS } from '../kit/typing.ts'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'

type NamePickerProps = {
  readonly label: string
  readonly hint: string
  /** Empty: none is chosen. */
  readonly value: string
  readonly onChange: (name: string) => void
  readonly isLabelShown?: boolean
}

const NAMES_MAX = 50

/** Chooses an event by its name. It asks for the names that begin as typed, so there may be any number of them. */
export function NamePicker({ label, hint, value, onChange, isLabelShown = false }: NamePickerProps) {
  const texts = useTexts(EVENTS_TEXTS)
  const [typed, setTyped] = useState(value)
  const [prefix] = useDebouncedValue(typed === value ? '' : typed, TYPING_MS)
  const query = { limit: NAMES_MAX, ...(prefix === '' ? {} : { prefix }) }
  const { data } = useRead('GET /api/v1/events/schema', { query }, { keepsFormer: true })
  const names = data?.events.map(({ event_name: name }) => name) ?? []
  return (
    <Select
      className={styles.picker}
      {...(isLabelShown ? { label } : { 'aria-label': label })}
      placeholder={hint}
      data={value === '' || names.includes(value) ? names : [value, ...names]}
      value={value === '' ? null : value}
      onChange={(chosen) => onChange(chosen ?? '')}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': texts.clear }}
      onSearchChange={setTyped}
      nothingFoundMessage={texts.noName}
      maxDropdownHeight={280}
    />
  )
}
