import { Button, Checkbox, SegmentedControl, Select } from '@mantine/core'
import { useState } from 'react'
import { Card } from '../kit/card.tsx'
import { useHasVirtualDevices } from '../kit/device/virtual-devices.ts'
import { useTagNames } from '../kit/filter/names.ts'
import { useFormat } from '../kit/number.tsx'
import { PeoplePicker } from '../kit/person-picker.tsx'
import { useRead } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { type Audience, type AudienceKind, EVERYONE } from './audience.ts'
import type { ControlProps } from './draft.ts'
import styles from './page.module.css'
import { Platforms } from './platforms.tsx'
import { type DryRun, LeftOut, Reach } from './reach.tsx'
import { COMPOSE_TEXTS } from './texts.ts'

export type PartProps = ControlProps & {
  /** The number of the stored draft; null as long as nothing is stored. */
  readonly campaignId: string | null
  readonly canWrite: boolean
  readonly dryRun: DryRun | undefined
}

const KINDS: readonly AudienceKind[] = ['everyone', 'segment', 'tag', 'users']

/** The audience of the message: its filter, its size, and the people in it who get nothing. */
export function Who({ draft, change, campaignId, canWrite, dryRun }: PartProps) {
  const { who } = useTexts(COMPOSE_TEXTS)
  const { audience } = draft
  const set = (changes: Partial<Audience>): void => change({ audience: { ...audience, ...changes } })
  return (
    <Card title={who.title} aside={<Reach dryRun={dryRun} campaignId={campaignId} />}>
      <fieldset className={styles.fields} disabled={!canWrite}>
        <legend className="sr-only">{who.label}</legend>
        {audience.kind === 'kept' ? (
          <p className="small quiet">
            {who.kept}{' '}
            {canWrite && (
              <Button size="compact-sm" onClick={() => change({ audience: EVERYONE })}>
                {who.replace}
              </Button>
            )}
          </p>
        ) : (
          <SegmentedControl
            className={styles.start ?? ''}
            aria-label={who.label}
            disabled={!canWrite}
            value={audience.kind}
            data={KINDS.map((value) => ({ value, label: who[value] }))}
            onChange={(kind) => set({ kind })}
          />
        )}
        <Choice audience={audience} set={set} />
        <Platforms draft={draft} change={change} />
        <Virtual draft={draft} change={change} />
        <LeftOut {...{ draft, dryRun, campaignId }} />
      </fieldset>
    </Card>
  )
}

type ChoiceProps = { readonly audience: Audience; readonly set: (changes: Partial<Audience>) => void }

function Choice({ audience, set }: ChoiceProps) {
  const { who } = useTexts(COMPOSE_TEXTS)
  const format = useFormat()
  if (audience.kind === 'segment') return <SegmentChoice {...{ audience, set }} />
  if (audience.kind === 'tag') return <TagChoice {...{ audience, set }} />
  if (audience.kind !== 'users') return null
  return (
    <>
      <PeoplePicker
        label={who.users}
        hidesLabel
        placeholder={who.choosePeople}
        value={audience.users}
        onChange={(users) => set({ users })}
      />
      {audience.usersStored > 0 && audience.users.length === 0 && (
        <p className="small quiet">{who.stored(format.count(audience.usersStored))}</p>
      )}
    </>
  )
}

function SegmentChoice({ audience, set }: ChoiceProps) {
  const { who } = useTexts(COMPOSE_TEXTS)
  const { data } = useRead('GET /api/v1/segments', { query: { limit: 200 } })
  const segments = (data?.segments ?? []).map(({ segment_id: id, name }) => ({
    value: String(id),
    label: name,
  }))
  return (
    <Select
      aria-label={who.segment}
      placeholder={who.chooseSegment}
      nothingFoundMessage={who.noSegment}
      searchable
      value={audience.segmentId === '' ? null : audience.segmentId}
      data={segments}
      onChange={(segmentId) => set({ segmentId: segmentId ?? '' })}
    />
  )
}

function TagChoice({ audience, set }: ChoiceProps) {
  const { who } = useTexts(COMPOSE_TEXTS)
  const [typed, setTyped] = useState('')
  // The chosen tag stands in the field as if it was typed, and hides no other.
  const known = useTagNames(typed === audience.tag ? '' : typed)
  const tags = audience.tag === '' || known.includes(audience.tag) ? known : [audience.tag, ...known]
  return (
    <Select
      aria-label={who.tag}
      placeholder={who.chooseTag}
      nothingFoundMessage={who.noTag}
      searchable
      // The catalogue has chosen already; a filter of its own would hide what it found in another case.
      filter={({ options }) => options}
      onSearchChange={setTyped}
      value={audience.tag === '' ? null : audience.tag}
      data={tags}
      onChange={(tag) => set({ tag: tag ?? '' })}
    />
  )
}

function Virtual({ draft, change }: ControlProps) {
  const { who } = useTexts(COMPOSE_TEXTS)
  if (!useHasVirtualDevices()) return null
  return (
    <Checkbox
      size="xs"
      label={who.virtual}
      checked={draft.reachesVirtual}
      onChange={({ currentTarget }) => change({ reachesVirtual: currentTarget.checked })}
    />
  )
}
