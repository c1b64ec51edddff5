import { MultiSelect, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useRead } from './queries.ts'
import { TYPING_MS } from './typing.ts'

type PickerProps = {
  readonly label: string
  readonly hidesLabel?: boolean
  readonly placeholder?: string
}

type PeoplePickerProps = PickerProps & {
  readonly value: readonly string[]
  readonly max?: number
  readonly onChange: (userIds: readonly string[]) => void
}

/** Chooses people by the first letters of a user id, an e-mail or a number. */
export function PeoplePicker({
  label,
  hidesLabel = false,
  placeholder,
  value,
  max,
  onChange,
}: PeoplePickerProps) {
  const { search, setSearch, ids } = usePeopleSearch()
  return (
    <MultiSelect
      {...labelled(label, hidesLabel)}
      {...(placeholder === undefined || value.length > 0 ? {} : { placeholder })}
      {...(max === undefined ? {} : { maxValues: max })}
      searchable
      hidePickedOptions
      value={[...value]}
      data={[...new Set([...value, ...ids])]}
      filter={({ options }) => options}
      searchValue={search}
      onSearchChange={setSearch}
      onChange={onChange}
    />
  )
}

type PersonPickerProps = PickerProps & {
  readonly value: string
  readonly onChange: (userId: string) => void
}

/** Chooses one person. */
export function PersonPicker({ label, hidesLabel = false, placeholder, value, onChange }: PersonPickerProps) {
  const { search, setSearch, ids } = usePeopleSearch()
  return (
    <Select
      {...labelled(label, hidesLabel)}
      {...(placeholder === undefined ? {} : { placeholder })}
      searchable
      clearable
      value={value === '' ? null : value}
      data={[...new Set([...(value === '' ? [] : [value]), ...ids])]}
      filter={({ options }) => options}
      searchValue={search}
      onSearchChange={setSearch}
      onChange={(chosen) => onChange(chosen ?? '')}
    />
  )
}

function labelled(label: string, hidesLabel: boolean) {
  return hidesLabel ? { 'aria-label': label } : { label }
}

const SHOWN_MAX = 20

function usePeopleSearch() {
  const [search, setSearch] = useState('')
  const [calm] = useDebouncedValue(search, TYPING_MS)
  const query = { limit: SHOWN_MAX, ...(calm === '' ? {} : { search: calm }) }
  const { data } = useRead('GET /api/v1/users', { query }, { keepsFormer: true })
  const ids = (data?.users ?? []).flatMap((user) => (typeof user.userID === 'string' ? [user.userID] : []))
  return { search, setSearch, ids }
}
