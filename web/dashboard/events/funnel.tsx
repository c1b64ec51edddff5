import { ActionIcon, SegmentedControl } from '@mantine/core'
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import { Link, useSearchWords } from '../kit/address.tsx'
import { AsOf } from '../kit/as-of.tsx'
import { Card, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Icon } from '../kit/icon.tsx'
import { Count, useFormat } from '../kit/number.tsx'
import { useTexts } from '../kit/texts.tsx'
import { useBrandZone } from '../kit/zone.ts'
import { timeFields, useAskedTime } from './asked-time.ts'
import { useAsking } from './asking.ts'
import { Cost } from './cost.tsx'
import styles from './funnel.module.css'
import { FunnelPeople, peopleAddress } from './funnel-people.tsx'
import { NamePicker } from './name-picker.tsx'
import { TimeChoice } from './range-choice.tsx'
import { EVENTS_TEXTS } from './texts.ts'
import tools from './tools.module.css'

const STEPS_MIN = 2
const STEPS_MAX = 10
const WITHIN = { hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000 } as const
const WITHIN_NAMES = ['hour', 'day', 'week', 'month'] as const

/** Event names have no commas, so the address lists them with one between two. */
function useSteps(): readonly [readonly string[], (steps: readonly string[]) => void] {
  const [words, change] = useSearchWords()
  const steps = (words['steps'] ?? '').split(',').filter((step) => step !== '')
  const none = { people: '', did: '' }
  return [steps.slice(0, STEPS_MAX), (chosen) => change({ steps: chosen.join(','), ...none })]
}

/** How many people went from step to step. */
export function FunnelView() {
  const { funnel: texts } = useTexts(EVENTS_TEXTS)
  const [words] = useSearchWords()
  const [steps, setSteps] = useSteps()
  const within = WITHIN_NAMES.find((name) => name === words['within']) ?? 'week'
  const time = useAskedTime(useBrandZone())
  const body = { steps, within: WITHIN[within], ...timeFields(time) }
  const isEnabled = steps.length >= STEPS_MIN
  const asking = useAsking('POST /api/v1/events/funnel', (how) => ({ body: { ...body, ...how } }), {
    isEnabled,
  })
  const { found } = asking
  const counts = isEnabled ? (found.reply?.funnel ?? []).map(({ users }) => users) : []
  return (
    <>
      <div className={tools['tools']}>
        <TimeChoice time={time} />
        <WithinChoice within={within} />
        <div className={tools['end']}>
          {isEnabled && <CopyCurl endpoint="POST /api/v1/events/funnel" input={{ body }} />}
        </div>
      </div>
      {isEnabled && <Cost asking={asking} advice={texts.cheaper} />}
      {found.error !== null && <FailureNote error={found.error} onRetry={() => void found.refetch()} />}
      <Stack>
        <Card title={texts.title} aside={isEnabled && <AsOf at={found.readAt} />} inset="flush">
          {isEnabled ? (
            <Answer counts={counts} words={words} />
          ) : (
            <p className={`${tools['pad']} quiet small`}>{texts.hint}</p>
          )}
          <Steps {...{ steps, setSteps, counts }} />
          {steps.length < STEPS_MAX && (
            <div className={tools['pad']}>
              <NamePicker
                // A new field for each step, empty again.
                key={steps.length}
                label={texts.add}
                hint={steps.length === 0 ? texts.addFirst : texts.add}
                value=""
                onChange={(name) => name !== '' && setSteps([...steps, name])}
              />
            </div>
          )}
        </Card>
        {isEnabled && <FunnelPeople body={body} />}
      </Stack>
    </>
  )
}

type StepsProps = {
  readonly steps: readonly string[]
  readonly setSteps: (steps: readonly string[]) => void
  readonly counts: readonly number[]
}

function Steps({ steps, setSteps, counts }: StepsProps) {
  const [words] = useSearchWords()
  return (
    <ol className={styles['steps']}>
      {steps.map((name, at) => (
        <Step
          key={`${at}${name}`}
          name={name}
          users={counts[at]}
          before={counts[at - 1]}
          first={counts[0]}
          toUsers={peopleAddress(words, { step: at + 1, did: 'reached' })}
          toLost={peopleAddress(words, { step: at + 1, did: 'stopped' })}
          onRemove={() => setSteps(steps.filter((_, other) => other !== at))}
        />
      ))}
    </ol>
  )
}

function WithinChoice({ within }: { readonly within: keyof typeof WITHIN }) {
  const { funnel: texts } = useTexts(EVENTS_TEXTS)
  const [, change] = useSearchWords()
  return (
    <SegmentedControl
      aria-label={texts.within}
      value={within}
      onChange={(name) => change({ within: name === 'week' ? '' : name })}
      data={WITHIN_NAMES.map((name) => ({ value: name, label: texts.withins[name] }))}
    />
  )
}

type AnswerProps = {
  readonly counts: readonly number[]
  /** The words of the address. */
  readonly words: Readonly<Record<string, string | undefined>>
}

function Answer({ counts, words }: AnswerProps) {
  const { funnel: texts } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const [first = 0] = counts
  const last = counts.at(-1) ?? 0
  if (counts.length === 0) return null
  if (first === 0) return <p className={`${tools['pad']} quiet small`}>{texts.nobody}</p>
  return (
    <p className={styles['answer']} aria-live="polite">
      <b>{format.share(last / first)}</b> {texts.through}{' '}
      <Count value={last} to={peopleAddress(words, { step: counts.length, did: 'reached' })} /> {texts.of}{' '}
      <Count value={first} to={peopleAddress(words, { step: 1, did: 'reached' })} /> {texts.peopleWord}
    </p>
  )
}

type StepProps = {
  readonly name: string
  readonly users: number | undefined
  readonly before: number | undefined
  readonly first: number | undefined
  /** The addresses of the people who did it, and of those who stopped before it. */
  readonly toUsers: string
  readonly toLost: string
  readonly onRemove: () => void
}

/** A step without an answer has no numbers. */
function Step({ name, users, before, first = 0, toUsers, toLost, onRemove }: StepProps) {
  const { funnel: texts } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const share = first === 0 ? 0 : (users ?? 0) / first
  return (
    <li className={styles['step']}>
      <span className={styles['name']}>{name}</span>
      <span className={styles['bar']} aria-hidden>
        <i style={{ width: `${100 * share}%` }} />
      </span>
      <span className={styles['users']}>
        {users === undefined ? '–' : <Count value={users} to={toUsers} />}
      </span>
      <span className={styles['share']}>{users !== undefined && format.share(share)}</span>
      <span className={`${styles['lost']} quiet`}>
        {before !== undefined && users !== undefined && before > users && (
          <Link to={toLost}>{texts.lost(format.count(before - users))}</Link>
        )}
      </span>
      <ActionIcon aria-label={texts.remove(name)} onClick={onRemove}>
        <Icon of={IconX} size={15} />
      </ActionIcon>
    </li>
  )
}
