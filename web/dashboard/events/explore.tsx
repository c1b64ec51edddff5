import { MultiSelect, Select, Switch } from '@mantine/core'
import { EVENT_MEASURES, EVENT_QUERY_LIMITS } from '../../../src/rules/event-queries.ts'
import { useSearchWords } from '../kit/address.tsx'
import { AsOf } from '../kit/as-of.tsx'
import { Card, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useAttributeNames } from '../kit/filter/names.ts'
import { useMay } from '../kit/member.ts'
import { useRead } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { useAsking } from './asking.ts'
import { Cost } from './cost.tsx'
import { Groups, Total } from './explore-answer.tsx'
import { type Asked, CONTEXT_PARTS, MEASURES, partName, partsText, useAsked } from './explore-question.ts'
import { WhereChoice } from './explore-where.tsx'
import { NamePicker } from './name-picker.tsx'
import type { EventAnswer } from './replies.ts'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'
import { FirstEvent, RangeChoice } from './tools.tsx'
import { ZoneChoice } from './trend.tsx'

/** One measure of the events, over time and by group, compared with the time before. */
export function ExploreView() {
  const { explore: texts } = useTexts(EVENTS_TEXTS)
  const [asked, body] = useAsked()
  const asking = useAsking('POST /api/v1/events/query', (how) => ({ body: { ...body, ...how } }))
  const { found } = asking
  const answer = found.reply?.answer
  return (
    <>
      <Choices asked={asked} />
      <div className={styles.tools}>
        <RangeChoice />
        <ZoneChoice />
        <CompareChoice isCompared={asked.isCompared} />
        <div className={styles.end}>
          <CopyCurl endpoint="POST /api/v1/events/query" input={{ body }} />
        </div>
      </div>
      {asked.name !== '' && <WhereChoice key={asked.name} name={asked.name} where={asked.where} />}
      <Cost asking={asking} advice={texts.cheaper} />
      <Stack>
        {found.error !== null && <FailureNote error={found.error} onRetry={() => void found.refetch()} />}
        <Card title={texts.measures[asked.measure]} aside={<AsOf at={found.readAt} />}>
          {answer === undefined && asking.state === 'asking' && <Lines count={6} />}
          {answer !== undefined &&
            (isEmpty(answer, asked) ? <FirstEvent /> : <Total answer={answer} asked={asked} />)}
        </Card>
        {answer !== undefined && asked.parts.length > 0 && (
          <Groups answer={answer} asked={asked} readAt={found.readAt} />
        )}
      </Stack>
    </>
  )
}

/** Whether there is no event at all in this time, so that none can be explored. */
function isEmpty({ total }: EventAnswer, { measure, name, segment }: Asked): boolean {
  return measure === 'count' && total.value === 0 && name === '' && segment === ''
}

function Choices({ asked }: { readonly asked: Asked }) {
  const { explore: texts, tail } = useTexts(EVENTS_TEXTS)
  const [, change] = useSearchWords()
  const { measure, name, attribute, parts } = asked
  const attributes = useAttributeNames('', name)
  return (
    <div className={styles.tools}>
      <Select
        label={texts.measure}
        allowDeselect={false}
        data={MEASURES.map((value) => ({ value, label: texts.measures[value] }))}
        value={measure}
        onChange={(chosen) => change({ measure: chosen === 'count' ? '' : (chosen ?? '') })}
      />
      {EVENT_MEASURES[measure].needsNumber && (
        <Select
          label={texts.of}
          placeholder={texts.ltv}
          data={name === '' ? [] : attributes}
          value={attribute === '' ? null : attribute}
          onChange={(chosen) => change({ of: chosen ?? '' })}
          searchable
          clearable
        />
      )}
      <NamePicker
        label={tail.name}
        hint={tail.anyName}
        value={name}
        onChange={(chosen) => change({ name: chosen, of: '', by: '', where: '' })}
        isLabelShown
      />
      <PartChoice parts={parts} attributes={name === '' ? [] : attributes} hasName={name !== ''} />
      <SegmentChoice segment={asked.segment} />
    </div>
  )
}

function CompareChoice({ isCompared }: Pick<Asked, 'isCompared'>) {
  const { explore: texts } = useTexts(EVENTS_TEXTS)
  const [, change] = useSearchWords()
  return (
    <Switch
      className={styles.switch ?? ''}
      label={texts.compare}
      checked={isCompared}
      onChange={(event) => change({ compare: event.currentTarget.checked ? 'yes' : '' })}
    />
  )
}

type PartChoiceProps = {
  readonly parts: readonly string[]
  readonly attributes: readonly string[]
  readonly hasName: boolean
}

/** Attributes of the event, its context, and attributes of people for those who may see them. */
function PartChoice({ parts, attributes, hasName }: PartChoiceProps) {
  const { explore: texts } = useTexts(EVENTS_TEXTS)
  const [, change] = useSearchWords()
  const mayPeople = useMay('profiles:read')
  const ofPeople = useAttributeNames('', '')
  const groups = [
    { group: texts.ofEvent, items: [...(hasName ? [] : ['event:name']), ...named('attribute', attributes)] },
    { group: texts.ofContext, items: named('context', CONTEXT_PARTS) },
    { group: texts.ofPerson, items: mayPeople ? named('person', ofPeople) : [] },
  ]
  const known = new Set(groups.flatMap(({ items }) => items))
  const others = parts.filter((part) => !known.has(part))
  const data = [...groups, { group: texts.chosen, items: others }]
  return (
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
      onChange={(chosen) => change({ by: partsText(chosen) })}
      maxValues={EVENT_QUERY_LIMITS.partsMax}
      searchable
      clearable
    />
  )
}

function named(kind: string, names: readonly string[]): readonly string[] {
  return names.map((name) => `${kind}:${name}`)
}

function SegmentChoice({ segment }: { readonly segment: string }) {
  const { explore: texts } = useTexts(EVENTS_TEXTS)
  const [, change] = useSearchWords()
  const mayRead = useMay('segments:read')
  const { data } = useRead('GET /api/v1/segments', { query: { limit: 200 } }, { isEnabled: mayRead })
  if (!mayRead) return null
  return (
    <Select
      label={texts.people}
      placeholder={texts.everybody}
      data={(data?.segments ?? []).map(({ segment_id: id, name }) => ({ value: String(id), label: name }))}
      value={segment === '' ? null : segment}
      onChange={(chosen) => change({ segment: chosen ?? '' })}
      searchable
      clearable
    />
  )
}
