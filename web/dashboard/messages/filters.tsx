import { Select } from '@mantine/core'
import { useSearchWords } from '../kit/address.tsx'
import { AsOf } from '../kit/as-of.tsx'
import { SearchField } from '../kit/search-field.tsx'
import { useTexts } from '../kit/texts.tsx'
import { FILTER_STATES, SINCE, SOURCES } from './list-filter.ts'
import styles from './page.module.css'
import { MESSAGES_TEXTS } from './texts.ts'

/** The filters of the list. All of them are in the address. */
export function Filters({ readAt }: { readonly readAt: number }) {
  const texts = useTexts(MESSAGES_TEXTS)
  const [words, change] = useSearchWords()
  const states = [
    { value: '', label: texts.anyState },
    ...FILTER_STATES.map((name) => ({ value: name, label: texts.states[name] })),
    { value: 'archived', label: texts.archived },
  ]
  return (
    <div className={styles.tools}>
      <SearchField
        className={styles.search}
        label={texts.search}
        hint={texts.searchHint}
        value={words['q'] ?? ''}
        onChange={(q) => change({ q })}
      />
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
      <AsOf at={readAt} />
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
