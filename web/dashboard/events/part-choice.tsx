import { MultiSelect } from '@mantine/core'
import { EVENT_QUERY_LIMITS } from '../../../src/rules/event-queries.ts'
import { useSearchWords } from '../kit/address.tsx'
import { useAttributeNames } from '../kit/filter/names.ts'
import { useMay } from '../kit/member.ts'
import { useTexts } from '../kit/texts.tsx'
import { NumberChoice } from './number-choice.tsx'
import { CONTEXT_PARTS, partName, partsText, TOP } from './parts.ts'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'

/** Words of the address that another division makes meaningless. */
type Stale = Readonly<Record<string, ''>>

type PartChoiceProps = {
  readonly parts: readonly string[]
  /** The event whose attributes can be chosen; empty: any event, so that its name can. */
  readonly name: string
  readonly stale?: Stale
}

/** Attributes of the event, its context, and attributes of people for those who may see them; then how many groups. */
export function PartChoice({ parts, name, stale = {} }: PartChoiceProps) {
  const { explore: texts } = useTexts(EVENTS_TEXTS)
  const [, change] = useSearchWords()
  const mayPeople = useMay('profiles:read')
  const attributes = useAttributeNames('', name)
  const ofPeople = useAttributeNames('', '')
  const ofEvent = name === '' ? ['event:name'] : named('attribute', attributes)
  const groups = [
    { group: texts.ofEvent, items: ofEvent },
    { group: texts.ofContext, items: named('context', CONTEXT_PARTS) },
    { group: texts.ofPerson, items: mayPeople ? named('person', ofPeople) : [] },
  ]
  const known = new Set(groups.flatMap(({ items }) => items))
  const others = parts.filter((part) => !known.has(part))
  const data = [...groups, { group: texts.chosen, items: others }]
  return (
    <>
      <MultiSelect
        className={styles.parts ?? ''}
        label={texts.by}
        placeholder={parts.length === 0 ? texts.whole : ''}
        data={data
          .filter(({ items }) => items.length > 0)
          .map(({ group, items }) => ({
            group,
            items: items.map((value) => ({ value, label: partName(value, texts.event) })),
          }))}
        value={[...parts]}
        onChange={(chosen) => change({ by: partsText(chosen), ...stale })}
        maxValues={EVENT_QUERY_LIMITS.partsMax}
        searchable
        clearable
      />
      {parts.length > 0 && <NumberChoice label={texts.top} word="top" choice={TOP} />}
    </>
  )
}

function named(kind: string, names: readonly string[]): readonly string[] {
  return names.map((name) => `${kind}:${name}`)
}
