import { Select, Switch } from '@mantine/core'
import { EVENT_MEASURES } from '../../../src/rules/event-queries.ts'
import { useSearchWords } from '../kit/address.tsx'
import { AsOf } from '../kit/as-of.tsx'
import { Card, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { faultsOf } from '../kit/filter/faults-of.ts'
import { useAttributeNames } from '../kit/filter/names.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { spansFor, usualSpan } from './asked-time.ts'
import { useAsking } from './asking.ts'
import { Cost } from './cost.tsx'
import { Total } from './explore-answer.tsx'
import { Groups } from './explore-groups.tsx'
import { type Asked, MEASURES, PERCENTILE, useAsked, useMeasureName } from './explore-question.ts'
import { WhereChoice } from './explore-where.tsx'
import { NamePicker } from './name-picker.tsx'
import { NumberChoice } from './number-choice.tsx'
import { PartChoice } from './part-choice.tsx'
import { PeopleChoice, PeopleConditions } from './people-choice.tsx'
import { TimeChoice } from './range-choice.tsx'
import type { EventAnswer } from './replies.ts'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'
import { FirstEvent } from './tools.tsx'
import { ZoneChoice } from './trend.tsx'

/** One measure of the events, over time and by group, compared with the time before. */
export function ExploreView() {
  const { explore: texts } = useTexts(EVENTS_TEXTS)
  const [asked, body] = useAsked()
  const asking = useAsking('POST /api/v1/events/query', (how) => ({ body: { ...body, ...how } }))
  const { found } = asking
  const measured = useMeasureName()(asked)
  const answer = found.reply?.answer
  const { people } = asked
  return (
    <>
      <Choices asked={asked} />
      <div className={styles.tools}>
        <TimeChoice time={asked.time} />
        <SpanChoice asked={asked} />
        <ZoneChoice />
        {asked.time.days !== null && <CompareChoice isCompared={asked.isCompared} />}
        <div className={styles.end}>
          <CopyCurl endpoint="POST /api/v1/events/query" input={{ body }} />
        </div>
      </div>
      {asked.name !== '' && <WhereChoice key={asked.name} name={asked.name} where={asked.where} />}
      {people !== null && (
        <PeopleConditions people={people} faults={faultsOf(found.error, found.reply, 'people')} />
      )}
      <Cost asking={asking} advice={texts.cheaper} />
      <Stack>
        {found.error !== null && <FailureNote error={found.error} onRetry={() => void found.refetch()} />}
        <Card title={measured} aside={<AsOf at={found.readAt} />}>
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
function isEmpty({ total }: EventAnswer, { measure, name, segment, people }: Asked): boolean {
  return measure === 'count' && total.value === 0 && name === '' && segment === '' && people === null
}

function Choices({ asked }: { readonly asked: Asked }) {
  const { explore: texts, tail } = useTexts(EVENTS_TEXTS)
  const [, change] = useSearchWords()
  const { measure, name, attribute } = asked
  const attributes = useAttributeNames('', name)
  return (
    <div className={styles.tools}>
      <Select
        className={styles.measure ?? ''}
        label={texts.measure}
        allowDeselect={false}
        data={MEASURES.map((value) => ({ value, label: texts.measures[value] }))}
        value={measure}
        onChange={(chosen) => change({ measure: chosen === 'count' ? '' : (chosen ?? '') })}
      />
      {EVENT_MEASURES[measure].needsNumber && (
        <Select
          className={styles.measure ?? ''}
          label={texts.of}
          placeholder={texts.ltv}
          data={name === '' ? [] : attributes}
          value={attribute === '' ? null : attribute}
          onChange={(chosen) => change({ of: chosen ?? '' })}
          searchable
          clearable
        />
      )}
      {measure === 'percentile' && (
        <NumberChoice label={texts.percentile} word="percentile" choice={PERCENTILE} />
      )}
      <NamePicker
        label={tail.name}
        hint={tail.anyName}
        value={name}
        onChange={(chosen) => change({ name: chosen, of: '', by: '', where: '' })}
        isLabelShown
      />
      <PartChoice parts={asked.parts} name={name} />
      <PeopleChoice asked={asked} />
    </div>
  )
}

/** The span of a bar: as long as suits the time, or as the reader wants it. */
function SpanChoice({ asked: { time, every } }: { readonly asked: Asked }) {
  const { explore: texts } = useTexts(EVENTS_TEXTS)
  const [, change] = useSearchWords()
  const usual = usualSpan(time)
  if (usual === undefined) return null
  return (
    <Select
      className={styles.span ?? ''}
      aria-label={texts.every}
      allowDeselect={false}
      data={[
        { value: AUTOMATIC, label: texts.automatic(texts.spans[usual]) },
        ...spansFor(time).map((span) => ({ value: span, label: texts.spans[span] })),
      ]}
      value={every ?? AUTOMATIC}
      onChange={(chosen) => change({ every: chosen === AUTOMATIC ? '' : (chosen ?? '') })}
    />
  )
}

const AUTOMATIC = 'automatic'

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
