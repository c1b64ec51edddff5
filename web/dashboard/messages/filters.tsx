import { Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs'
import { useEffect, useState } from 'react'
import { useSearchWords } from '../kit/address.tsx'
import { Icon } from '../kit/icon.tsx'
import { useTexts } from '../kit/texts.tsx'
import { FILTER_STATES, SINCE, SOURCES } from './list-filter.ts'
import styles from './page.module.css'
import { MESSAGES_TEXTS } from './texts.ts'

const TYPING_MS = 250

/** The filters of the list. All of them are in the address. */
export function Filters() {
  const texts = useTexts(MESSAGES_TEXTS)
  const [words, change] = useSearchWords()
  const states = [
    { value: '', label: texts.anyState },
    ...FILTER_STATES.map((name) => ({ value: name, label: texts.states[name] })),
    { value: 'archived', label: texts.archived },
  ]
  return (
    <div className={styles.tools}>
      <TextField value={words['q'] ?? ''} onChange={(q) => change({ q })} />
      <Choice name="state" data={states} label={texts.filters.state} />
      <Choice
        name="source"
        data={SOURCES.map((name) => ({ value: name, label: texts.sources[name] }))}
        label={texts.filters.source}
      />
      <Choice
        name="since"
        data={SINCE.map((name) => ({ value: name, label: texts.since[name] }))}
        label={texts.filters.since}
      />
    </div>
  )
}

type ChoiceProps = {
  readonly name: 'state' | 'source' | 'since'
  readonly label: string
  readonly data: { value: string; label: string }[]
}

/** One word of the address, chosen from a list. A word that is not in it counts as absent. */
function Choice({ name, label, data }: ChoiceProps) {
  const [words, change] = useSearchWords()
  const chosen = data.find(({ value }) => value === words[name])?.value ?? ''
  // A journey is a part of its source: another source leaves it.
  const leaves = name === 'source' ? { journey: '' } : {}
  return (
    <Select
      className={styles.choose}
      aria-label={label}
      allowDeselect={false}
      data={data}
      value={chosen}
      onChange={(value) => change({ ...leaves, [name]: value ?? '' })}
    />
  )
}

/** The address changes a moment after the last key. */
function TextField({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (text: string) => void
}) {
  const texts = useTexts(MESSAGES_TEXTS)
  const [typed, setTyped] = useState(value)
  const [settled] = useDebouncedValue(typed.trim(), TYPING_MS)
  useEffect(() => {
    if (settled !== value) onChange(settled)
    // Only the reader's typing changes the address; `value` follows it.
  }, [settled])
  return (
    <TextInput
      className={styles.search}
      aria-label={texts.search}
      placeholder={texts.searchHint}
      leftSection={<Icon of={IconSearch} />}
      type="search"
      maxLength={100}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
    />
  )
}
