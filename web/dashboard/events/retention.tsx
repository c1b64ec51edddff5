import { SegmentedControl } from '@mantine/core'
import type { ReactNode } from 'react'
import { useSearchWords } from '../kit/address.tsx'
import { AsOf } from '../kit/as-of.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { Card, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useFormat } from '../kit/number.tsx'
import { Lines } from '../kit/skeleton.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { useAsking } from './asking.ts'
import { Cost } from './cost.tsx'
import { NamePicker } from './name-picker.tsx'
import { NumberChoice } from './number-choice.tsx'
import { PartChoice } from './part-choice.tsx'
import { TimeChoice } from './range-choice.tsx'
import styles from './retention.module.css'
import { RetentionGroups } from './retention-groups.tsx'
import { cohortAddress, cohortDay, RetentionPeople } from './retention-people.tsx'
import { type AskedRetention, NO_CELL, useRetention } from './retention-question.ts'
import { ShareTable } from './share-table.tsx'
import { EVENTS_TEXTS } from './texts.ts'
import tools from './tools.module.css'
import { FirstEvent } from './tools.tsx'

type Cohort = NonNullable<ReplyOf<'GET /api/v1/events/retention'>['retention']>[number]

/** How many of those who started came back, by the day or week of their start. */
export function RetentionView() {
  const { retention: texts } = useTexts(EVENTS_TEXTS)
  const [words] = useSearchWords()
  const asked = useRetention()
  const { time, unit, start, back, parts, walk, query } = asked
  const asking = useAsking('GET /api/v1/events/retention', (how) => ({ query: { ...query, ...how } }))
  const { found } = asking
  const cohorts = found.reply?.retention
  // Without an event in a short time or between two dates, there may still be others.
  const isAny = start === '' && back === '' && (time.range === '30d' || time.range === 'all')
  return (
    <>
      <Choices asked={asked}>
        <CopyCurl endpoint="GET /api/v1/events/retention" input={{ query }} />
      </Choices>
      <Cost asking={asking} advice={texts.cheaper} />
      {found.error !== null && <FailureNote error={found.error} onRetry={() => void found.refetch()} />}
      <Stack>
        <Card title={texts.title} aside={<AsOf at={found.readAt} />} inset="flush">
          {cohorts === undefined && asking.state === 'asking' && (
            <div className={tools['pad']}>
              <Lines count={6} />
            </div>
          )}
          {cohorts?.length === 0 && isAny && <FirstEvent />}
          {cohorts?.length === 0 && !isAny && <p className={`${tools['pad']} quiet small`}>{texts.none}</p>}
          {cohorts !== undefined && cohorts.length > 0 && (
            <Cohorts cohorts={cohorts} unit={unit} words={words} />
          )}
          {found.reply?.warnings?.map(({ code, message }) => (
            <p key={code} className={`${tools['pad']} quiet small`}>
              {message}
            </p>
          ))}
        </Card>
        {parts.length > 0 && found.reply !== undefined && (
          <RetentionGroups reply={found.reply} parts={parts} readAt={found.readAt} />
        )}
        <RetentionPeople query={walk} />
      </Stack>
    </>
  )
}

type ChoicesProps = { readonly asked: AskedRetention; readonly children: ReactNode }

function Choices({ asked, children }: ChoicesProps) {
  const { retention: texts } = useTexts(EVENTS_TEXTS)
  const [, change] = useSearchWords()
  const { time, unit, choice, start, back, parts } = asked
  return (
    <>
      <div className={tools['tools']}>
        <NamePicker
          isLabelShown
          label={texts.start}
          hint={texts.any}
          value={start}
          onChange={(name) => change({ start: name, by: '', ...NO_CELL })}
        />
        <NamePicker
          isLabelShown
          label={texts.back}
          hint={texts.any}
          value={back}
          onChange={(name) => change({ back: name, ...NO_CELL })}
        />
        <PartChoice parts={parts} name={start} />
        <NumberChoice label={texts.periods} word="periods" choice={choice} stale={NO_CELL} />
      </div>
      <div className={tools['tools']}>
        <TimeChoice time={time} stale={NO_CELL} />
        <SegmentedControl
          aria-label={texts.unit}
          value={unit}
          onChange={(name) => change({ unit: name === 'week' ? '' : name, ...NO_CELL })}
          data={[
            { value: 'week', label: texts.units.week },
            { value: 'day', label: texts.units.day },
          ]}
        />
        <div className={tools['end']}>{children}</div>
      </div>
    </>
  )
}

type CohortsProps = {
  readonly cohorts: readonly Cohort[]
  readonly unit: 'day' | 'week'
  /** The words of the address. */
  readonly words: Readonly<Record<string, string | undefined>>
}

function Cohorts({ cohorts, unit, words }: CohortsProps) {
  const { retention: texts } = useTexts(EVENTS_TEXTS)
  const { language } = useLanguage()
  const lines = cohorts.toReversed().map(({ cohort, users, returned }) => ({
    key: cohort,
    name: cohortDay(language, cohort),
    users,
    periods: returned.map((count) => (count === null ? null : { count, users })),
    toPeople: (period: number) => cohortAddress(words, { cohort, period }),
  }))
  return (
    <>
      <Answer cohorts={cohorts} unit={unit} />
      <ShareTable label={texts.title} first={texts.began[unit]} lines={lines} />
    </>
  )
}

/** The share of all who could come back in the period after their first, and did. */
function Answer({ cohorts, unit }: Pick<CohortsProps, 'cohorts' | 'unit'>) {
  const { retention: texts } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const begun = cohorts.filter(({ returned }) => typeof returned[1] === 'number')
  const people = begun.reduce((sum, { users }) => sum + users, 0)
  const back = begun.reduce((sum, { returned }) => sum + (returned[1] ?? 0), 0)
  if (people === 0) return null
  return (
    <p className={styles.answer}>
      <b>{format.share(back / people)}</b> {texts.answer[unit]}
    </p>
  )
}
