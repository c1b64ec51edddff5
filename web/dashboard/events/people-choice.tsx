import { Select } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import type { SegmentFilter } from '../../client/api/documents.ts'
import { useSearchWords } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import type { FilterFault } from '../kit/filter/faults-of.ts'
import { FilterBuilder, NEW_FILTER } from '../kit/filter/filter-builder.tsx'
import { filterWord } from '../kit/filter/filter-word.ts'
import { isWhole } from '../kit/filter/written.ts'
import { useMay } from '../kit/member.ts'
import { useRead } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { TYPING_MS } from '../kit/typing.ts'
import type { Asked } from './explore-question.ts'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'

const CONDITIONS = 'conditions'

/** The choice of whose events are meant: everybody's, those of a segment, or of people who meet conditions. */
export function PeopleChoice({ asked: { segment, people } }: { readonly asked: Asked }) {
  const { explore: texts } = useTexts(EVENTS_TEXTS)
  const [, change] = useSearchWords()
  const mayReadSegments = useMay('segments:read')
  const mayReadPeople = useMay('profiles:read')
  const { data } = useRead('GET /api/v1/segments', { query: { limit: 200 } }, { isEnabled: mayReadSegments })
  if (!mayReadPeople) return null
  const segments = data?.segments ?? []
  const chosen = people === null ? segment : CONDITIONS
  return (
    <Select
      className={styles.segment ?? ''}
      label={texts.people}
      placeholder={texts.everybody}
      data={[
        { value: CONDITIONS, label: texts.byConditions },
        ...segments.map(({ segment_id: id, name }) => ({ value: String(id), label: name })),
      ]}
      value={chosen === '' ? null : chosen}
      onChange={(next) =>
        change(
          next === CONDITIONS
            ? { segment: '', people: filterWord(NEW_FILTER) ?? '' }
            : { segment: next ?? '', people: '' },
        )
      }
      searchable
      clearable
    />
  )
}

type PeopleConditionsProps = {
  readonly people: SegmentFilter
  /** What the API says about places of the conditions that the address has. */
  readonly faults: readonly FilterFault[]
}

/** The conditions on the people. The address has them once everything in them is said; until then they are the page's own. */
export function PeopleConditions({ people, faults }: PeopleConditionsProps) {
  const { explore: texts } = useTexts(EVENTS_TEXTS)
  const [, change] = useSearchWords()
  const [draft, setDraft] = useState(people)
  const ask = useDebouncedCallback((word: string) => change({ people: word }), TYPING_MS)
  const isTooLong = filterWord(draft) === null
  return (
    <Card title={texts.conditions} className={styles.people}>
      <FilterBuilder
        value={draft}
        faults={faults}
        onChange={(next) => {
          setDraft(next)
          const word = isWhole(next) ? filterWord(next) : null
          if (word === null) ask.cancel()
          else ask(word)
        }}
      />
      <p className={`${styles.say} small quiet`} aria-live="polite">
        {isTooLong && texts.tooLong}
        {!isTooLong && !isWhole(draft) && texts.incomplete}
      </p>
    </Card>
  )
}
