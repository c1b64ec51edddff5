import { useSearchWords } from '../kit/address.tsx'
import { AsOf } from '../kit/as-of.tsx'
import { Card, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Count, useFormat } from '../kit/number.tsx'
import { useTexts } from '../kit/texts.tsx'
import { useAsking } from './asking.ts'
import { Cost } from './cost.tsx'
import { useDurationText } from './duration-text.ts'
import styles from './funnel.module.css'
import { FunnelGroups } from './funnel-groups.tsx'
import { FunnelPeople, peopleAddress } from './funnel-people.tsx'
import { STEPS_MAX, useFunnel, useNames } from './funnel-question.ts'
import { type Reached, Steps } from './funnel-steps.tsx'
import { Without } from './funnel-without.tsx'
import { NamePicker } from './name-picker.tsx'
import { PartChoice } from './part-choice.tsx'
import { TimeChoice } from './range-choice.tsx'
import { EVENTS_TEXTS } from './texts.ts'
import tools from './tools.module.css'
import { WithinChoice } from './within-choice.tsx'

const STEPS_MIN = 2

/** How many people went from step to step. */
export function FunnelView() {
  const { funnel: texts } = useTexts(EVENTS_TEXTS)
  const { time, steps, excluded, parts, walk, body } = useFunnel()
  const setSteps = useNames('steps')
  const isEnabled = steps.length >= STEPS_MIN
  const asking = useAsking('POST /api/v1/events/funnel', (how) => ({ body: { ...body, ...how } }), {
    isEnabled,
  })
  const { found } = asking
  const reached = isEnabled ? (found.reply?.funnel ?? []) : []
  return (
    <>
      <div className={tools['tools']}>
        <TimeChoice time={time} />
        <WithinChoice label={texts.within} usual="week" />
        <div className={tools['end']}>
          {isEnabled && <CopyCurl endpoint="POST /api/v1/events/funnel" input={{ body }} />}
        </div>
      </div>
      {isEnabled && (
        <div className={tools['tools']}>
          <PartChoice parts={parts} name={steps[0] ?? ''} />
        </div>
      )}
      {isEnabled && <Cost asking={asking} advice={texts.cheaper} />}
      {found.error !== null && <FailureNote error={found.error} onRetry={() => void found.refetch()} />}
      <Stack>
        <Card title={texts.title} aside={isEnabled && <AsOf at={found.readAt} />} inset="flush">
          {isEnabled ? (
            <Answer reached={reached} />
          ) : (
            <p className={`${tools['pad']} quiet small`}>{texts.hint}</p>
          )}
          <Steps {...{ steps, setSteps, reached }} />
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
          {isEnabled && <Without excluded={excluded} />}
        </Card>
        {isEnabled && parts.length > 0 && found.reply !== undefined && (
          <FunnelGroups reply={found.reply} steps={steps} parts={parts} readAt={found.readAt} />
        )}
        {isEnabled && <FunnelPeople body={walk} />}
      </Stack>
    </>
  )
}

/** The share that went all the way, and the time that half of them took. */
function Answer({ reached }: { readonly reached: readonly Reached[] }) {
  const { funnel: texts } = useTexts(EVENTS_TEXTS)
  const [words] = useSearchWords()
  const format = useFormat()
  const durationText = useDurationText()
  const { users: first = 0 } = reached[0] ?? {}
  const { users: last = 0, seconds = null } = reached.at(-1) ?? {}
  if (reached.length === 0) return null
  if (first === 0) return <p className={`${tools['pad']} quiet small`}>{texts.nobody}</p>
  return (
    <p className={styles['answer']} aria-live="polite">
      <b>{format.share(last / first)}</b> {texts.through}{' '}
      <Count value={last} to={peopleAddress(words, { step: reached.length, did: 'reached' })} /> {texts.of}{' '}
      <Count value={first} to={peopleAddress(words, { step: 1, did: 'reached' })} /> {texts.peopleWord}
      {seconds !== null && <span className="quiet">, {texts.half(durationText(seconds))}</span>}
    </p>
  )
}
