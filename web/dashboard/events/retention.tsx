import { SegmentedControl } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link, useSearchWords } from '../kit/address.tsx'
import { AsOf } from '../kit/as-of.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Count, useFormat } from '../kit/number.tsx'
import { Lines } from '../kit/skeleton.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { useBrandZone } from '../kit/zone.ts'
import { useAsking } from './asking.ts'
import { Cost } from './cost.tsx'
import { NamePicker } from './name-picker.tsx'
import { addDays, dayIn } from './range.ts'
import styles from './retention.module.css'
import { cohortAddress, cohortDay, RetentionPeople } from './retention-people.tsx'
import { EVENTS_TEXTS } from './texts.ts'
import tools from './tools.module.css'
import { FirstEvent } from './tools.tsx'

type Cohort = NonNullable<ReplyOf<'GET /api/v1/events/retention'>['retention']>[number]

/** The periods of each unit, and the days back to the first of them. */
const UNITS = { day: { back: 13, periods: 14 }, week: { back: 55, periods: 8 } } as const

/** How many of those who started came back, by the day or week of their start. */
export function RetentionView() {
  const { retention: texts } = useTexts(EVENTS_TEXTS)
  const [words] = useSearchWords()
  const unit = words['unit'] === 'day' ? 'day' : 'week'
  const { start = '', back = '' } = words
  const zone = useBrandZone()
  const query = {
    unit,
    periods: UNITS[unit].periods,
    from: addDays(dayIn(zone, Date.now()), -UNITS[unit].back),
    ...(start === '' ? {} : { start_event: start }),
    ...(back === '' ? {} : { return_event: back }),
  } as const
  const asking = useAsking('GET /api/v1/events/retention', (how) => ({ query: { ...query, ...how } }))
  const { found } = asking
  const cohorts = found.reply?.retention
  const isAny = start === '' && back === ''
  return (
    <>
      <Tools unit={unit} start={start} back={back}>
        <CopyCurl endpoint="GET /api/v1/events/retention" input={{ query }} />
      </Tools>
      <Cost asking={asking} advice={texts.cheaper} />
      {found.error !== null && <FailureNote error={found.error} onRetry={() => void found.refetch()} />}
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
      </Card>
      <RetentionPeople query={query} />
    </>
  )
}

/** Another question has other numbers, so the list of one of them closes. */
const NO_CELL = { cohort: '', period: '' } as const

type ToolsProps = {
  readonly unit: 'day' | 'week'
  readonly start: string
  readonly back: string
  readonly children: ReactNode
}

function Tools({ unit, start, back, children }: ToolsProps) {
  const { retention: texts } = useTexts(EVENTS_TEXTS)
  const [, change] = useSearchWords()
  return (
    <div className={tools['tools']}>
      <NamePicker
        isLabelShown
        label={texts.start}
        hint={texts.any}
        value={start}
        onChange={(name) => change({ start: name, ...NO_CELL })}
      />
      <NamePicker
        isLabelShown
        label={texts.back}
        hint={texts.any}
        value={back}
        onChange={(name) => change({ back: name, ...NO_CELL })}
      />
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
  return (
    <>
      <Answer cohorts={cohorts} unit={unit} />
      <table className={styles.table} aria-label={texts.title}>
        <thead>
          <tr>
            <th scope="col">{texts.began[unit]}</th>
            <th scope="col" className={styles.n}>
              {texts.people}
            </th>
            {Array.from({ length: UNITS[unit].periods }, (_, period) => (
              <th key={period} scope="col" className={styles.n}>
                {period}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cohorts.toReversed().map((cohort) => (
            <Row key={cohort.cohort} cohort={cohort} words={words} />
          ))}
        </tbody>
      </table>
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

type ShareProps = { readonly share: number; readonly to: string }

function Share({ share, to }: ShareProps) {
  const format = useFormat()
  return share === 0 ? <>{format.share(0)}</> : <Link to={to}>{format.share(share)}</Link>
}

type RowProps = Pick<CohortsProps, 'words'> & { readonly cohort: Cohort }

function Row({ cohort, words }: RowProps) {
  const { retention: texts } = useTexts(EVENTS_TEXTS)
  const { language } = useLanguage()
  const format = useFormat()
  const { cohort: day, users, returned } = cohort
  const toPeople = (period: number): string => cohortAddress(words, { cohort: day, period })
  return (
    <tr>
      <th scope="row">{cohortDay(language, day)}</th>
      <td className={styles.n}>
        <Count value={users} to={toPeople(0)} />
      </td>
      {returned.map((count, period) => (
        <td
          key={period}
          className={styles.cell}
          style={count === null ? {} : shadeOf(count / users)}
          title={count === null ? undefined : texts.cell(format.count(count), format.count(users))}
        >
          {count === null ? '' : <Share share={count / users} to={toPeople(period)} />}
        </td>
      ))}
    </tr>
  )
}

/** The larger the share, the more ink. The middle is left out: neither ink nor paper can be read on it. */
function shadeOf(share: number): { readonly background: string; readonly color: string } {
  const isDark = share > 0.5
  const ink = isDark ? 30 + 70 * share : 60 * share
  return {
    background: `color-mix(in srgb, var(--ink) ${ink.toFixed(0)}%, var(--card))`,
    color: isDark ? 'var(--card)' : 'var(--ink)',
  }
}
