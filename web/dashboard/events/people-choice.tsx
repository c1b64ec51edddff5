import { Select } from '@mantine/core'
import type { SegmentFilter } from '../../client/api/documents.ts'
import { encodeJson } from '../../client/json.ts'
import { useSearchWords } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import type { FilterFault } from '../kit/filter/faults-of.ts'
import { FilterBuilder, NEW_FILTER } from '../kit/filter/filter-builder.tsx'
import { filterWord } from '../kit/filter/filter-word.ts'
import { isWhole, joinOf, partsOf, writtenOf } from '../kit/filter/written.ts'
import { useMay } from '../kit/member.ts'
import { useRead } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { useAddressDraft } from './address-draft.ts'
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
      // To choose an option again takes nothing away; the cross does.
      allowDeselect={false}
      data={[
        { value: CONDITIONS, label: texts.whoMeet },
        ...segments.map(({ segment_id: id, name }) => ({ value: String(id), label: name })),
      ]}
      value={chosen === '' ? null : chosen}
      onChange={(next) => {
        if (next === chosen) return
        change(
          next === CONDITIONS
            ? { segment: '', people: filterWord(NEW_FILTER) ?? '' }
            : { segment: next ?? '', people: '' },
        )
      }}
      searchable
      clearable
    />
  )
}

type PeopleConditionsProps = {
  readonly people: SegmentFilter
  /** The flaws and warnings of the API about the conditions that the address has. */
  readonly faults: readonly FilterFault[]
}

/**
 * The conditions on the people. The address has them once everything in them is said, or when all are gone; until then they are the
 * page's own, and the numbers are those of the conditions before.
 */
export function PeopleConditions({ people, faults }: PeopleConditionsProps) {
  const { explore: texts } = useTexts(EVENTS_TEXTS)
  const [, change] = useSearchWords()
  const [draft, setDraft] = useAddressDraft(people, {
    tellable: tellableOf,
    tell: (next) => change({ people: filterWord(next) ?? '' }),
  })
  const isTooLong = filterWord(draft) === null
  // Faults are of the conditions that the address has.
  const isAsked = encodeJson(draft) === encodeJson(people)
  return (
    <Card title={texts.conditions} className={styles.people}>
      <FilterBuilder value={draft} faults={isAsked ? faults : []} onChange={setDraft} />
      <p className={`${styles.say} small quiet`} aria-live="polite">
        {isTooLong && texts.tooLong}
        {!isTooLong && !isWhole(draft) && texts.incomplete}
      </p>
    </Card>
  )
}

/** The filter that the address is told: a whole one, or one without conditions. */
function tellableOf(draft: SegmentFilter): SegmentFilter | null {
  const written = writtenOf(draft)
  if (joinOf(written) !== null && partsOf(written).length === 0) return NEW_FILTER
  return isWhole(draft) && filterWord(draft) !== null ? draft : null
}
