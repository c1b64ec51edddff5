import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { SEGMENT_LIMITS } from '../../../src/rules/segments.ts'
import type { SegmentFilter } from '../../client/api/documents.ts'
import type { Segment } from '../../client/api/segments.ts'
import { encodeJson } from '../../client/json.ts'
import { useSearchWords } from '../kit/address.tsx'
import { Card, Columns, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { type FilterFault, faultsOf } from '../kit/filter/faults-of.ts'
import { FilterBuilder, NEW_FILTER } from '../kit/filter/filter-builder.tsx'
import { FilterSentence } from '../kit/filter/filter-sentence.tsx'
import { filterIn } from '../kit/filter/filter-word.ts'
import { blanksIn, isWhole, writtenOf } from '../kit/filter/written.ts'
import { useMay } from '../kit/member.ts'
import { Page } from '../kit/page.tsx'
import { Pill } from '../kit/pill.tsx'
import { useTexts } from '../kit/texts.tsx'
import { History } from './history.tsx'
import { ImportList } from './import-list.tsx'
import { usePreview } from './preview.ts'
import { Sample } from './sample.tsx'
import styles from './segment.module.css'
import { SegmentActions } from './segment-actions.tsx'
import { SizeCard } from './size-card.tsx'
import { SEGMENT_TEXTS } from './texts.ts'
import { useSave } from './use-save.ts'

/** One segment: its conditions on the left, its people on the right. */
export function SegmentEditor({ segment }: { readonly segment: Segment | null }) {
  const texts = useTexts(SEGMENT_TEXTS)
  const mayChange = useMay('segments', 'draft')
  const draft = useDraft(segment)
  const { filter, setFilter, preview, isChanged, save } = draft
  const saved = isChanged ? null : segment
  return (
    <Page
      title={segment?.name ?? texts.newTitle}
      above={{ name: texts.title, to: '/segments' }}
      state={<State segment={segment} isChanged={isChanged} isSaved={save.isSaved} />}
      actions={
        <>
          <Curl segment={segment} name={draft.name} filter={filter} />
          <SegmentActions
            segment={segment}
            canSave={isChanged && draft.name.trim() !== ''}
            isSaving={save.isPending}
            onSave={draft.onSave}
          />
        </>
      }
    >
      <Columns wide="first">
        <Stack>
          <Card>
            <p className={styles.sentence} aria-live="polite">
              <FilterSentence filter={filter} />
            </p>
            {mayChange && <NameInput value={draft.name} onChange={draft.setName} />}
          </Card>
          {mayChange && (
            <Card title={texts.whom}>
              <FilterBuilder value={filter} onChange={setFilter} faults={draft.faults} />
              <OtherFailure error={save.error} faults={draft.faults} />
            </Card>
          )}
        </Stack>
        <Stack>
          <SizeCard segment={saved} filter={filter} preview={preview} />
          <Sample
            segment={saved}
            filter={filter}
            preview={isWhole(filter) ? preview.data : undefined}
            isComing={isWhole(filter) && preview.isLoading}
          />
          {segment !== null && <History segment={segment} />}
          {segment !== null && segment.archived_at === null && (
            <ImportList segment={segment} isChanged={isChanged} onFilter={setFilter} />
          )}
        </Stack>
      </Columns>
    </Page>
  )
}

/** The call that saves what stands on the page. */
function Curl({
  segment,
  name,
  filter,
}: {
  readonly segment: Segment | null
  readonly name: string
  readonly filter: SegmentFilter
}) {
  const body = { name, filter }
  if (segment === null) return <CopyCurl endpoint="POST /api/v1/segments" input={{ body }} />
  const path = { segment_id: String(segment.segment_id) }
  return <CopyCurl endpoint="PATCH /api/v1/segments/{segment_id}" input={{ path, body }} />
}

/** The segment as it stands on the page, with what the API says about it. */
function useDraft(segment: Segment | null) {
  const texts = useTexts(SEGMENT_TEXTS)
  const [name, setName] = useState(segment?.name ?? '')
  const [words, changeWords] = useSearchWords()
  const [filter, setFilter] = useState<SegmentFilter>(
    () => filterIn(words['filter']) ?? segment?.filter ?? NEW_FILTER,
  )
  const changeFilter = (next: SegmentFilter): void => {
    setFilter(next)
    // The address had the filter as it was before.
    if (words['filter'] !== undefined) changeWords({ filter: undefined })
  }
  const [hasTried, setHasTried] = useState(false)
  const save = useSave(segment, (saved) => changeFilter(saved.filter))
  const preview = usePreview(filter)
  const found = [...faultsOf(preview.error, preview.data), ...faultsOf(save.error, undefined)]
  const saved = encodeJson(segment?.filter ?? NEW_FILTER)
  const onSave = (): void => {
    setHasTried(true)
    if (isWhole(filter)) save.run({ name: name.trim(), filter })
  }
  return {
    name,
    setName,
    filter,
    setFilter: changeFilter,
    preview,
    save,
    onSave,
    isChanged: name !== (segment?.name ?? '') || encodeJson(filter) !== saved,
    faults: isWhole(filter) ? unique(found) : blankFaults(filter, hasTried ? texts.blank : null),
  }
}

type NameInputProps = { readonly value: string; readonly onChange: (name: string) => void }

function NameInput({ value, onChange }: NameInputProps) {
  const texts = useTexts(SEGMENT_TEXTS)
  return (
    <TextInput
      mt={14}
      label={texts.name}
      placeholder={texts.nameHint}
      maxLength={SEGMENT_LIMITS.nameCharsMax}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

/** The saved filter and its preview can be refused with the same words. */
function unique(faults: readonly FilterFault[]): readonly FilterFault[] {
  return faults.filter(({ field, message }, at) => {
    return faults.findIndex((other) => other.field === field && other.message === message) === at
  })
}

function blankFaults(filter: SegmentFilter, message: string | null): readonly FilterFault[] {
  if (message === null) return []
  return blanksIn(writtenOf(filter)).map((field) => ({ field, message, tone: 'bad' }))
}

/** A refusal that is about no place of the filter. */
function OtherFailure({
  error,
  faults,
}: {
  readonly error: Error | null
  readonly faults: readonly FilterFault[]
}) {
  if (error === null || faults.some(({ tone }) => tone === 'bad')) return null
  return <FailureNote error={error} />
}

type StateProps = {
  readonly segment: Segment | null
  readonly isChanged: boolean
  readonly isSaved: boolean
}

function State({ segment, isChanged, isSaved }: StateProps) {
  const texts = useTexts(SEGMENT_TEXTS)
  const isArchived = (segment?.archived_at ?? null) !== null
  return (
    <span role="status">
      {isArchived && <Pill>{texts.archived}</Pill>}
      {isChanged && !isArchived && <Pill>{texts.unsaved}</Pill>}
      {isSaved && !isChanged && <Pill tone="ok">{texts.saved}</Pill>}
    </span>
  )
}
