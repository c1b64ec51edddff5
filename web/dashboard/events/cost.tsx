import { Progress as Bar, Button } from '@mantine/core'
import { useFormat } from '../kit/number.tsx'
import { useTexts } from '../kit/texts.tsx'
import type { Asking, Estimate, Progress } from './asking.ts'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'

type CostProps = {
  readonly asking: Asking
  /** The advice that would make the question cheaper. */
  readonly advice: string
}

/** One line: what the question costs, how far it is while it takes long, and the button that stops it. */
export function Cost({ asking, advice }: CostProps) {
  const { cost: texts } = useTexts(EVENTS_TEXTS)
  const { state, estimate, progress, stop, askAnyway } = asking
  const isLong = state === 'asking' && progress !== null && progress.seconds >= LONG_SECONDS
  return (
    <div className={`${styles.cost} small quiet`}>
      <span aria-live="polite">
        {state === 'stopped' && texts.stopped}
        {state !== 'stopped' && !isLong && estimate !== undefined && (
          <EstimateText estimate={estimate} advice={advice} />
        )}
      </span>
      {isLong && <Going progress={progress} />}
      {isLong && (
        <Button size="compact-sm" onClick={stop}>
          {texts.cancel}
        </Button>
      )}
      {(state === 'stopped' || state === 'held') && (
        <Button size="compact-sm" onClick={askAnyway}>
          {state === 'held' ? texts.askAnyway : texts.askAgain}
        </Button>
      )}
    </div>
  )
}

/** Most questions are answered sooner, and need no bar that flashes. */
const LONG_SECONDS = 1

type EstimateProps = Pick<CostProps, 'advice'> & { readonly estimate: Estimate }

function EstimateText({ estimate, advice }: EstimateProps) {
  const { cost: texts } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const { events, seconds, seconds_max: secondsMax, is_above_limit: isAbove } = estimate
  if (isAbove)
    return `${texts.tooLong(format.count(events), format.count(seconds), format.count(secondsMax))} ${advice}`
  return `${texts.reads(format.count(events), events)}, ${texts.within(format.count(seconds), seconds)}.`
}

function Going({ progress }: { readonly progress: Progress }) {
  const { cost: texts } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const { seconds, seconds_expected: expected, weeks_read: read, weeks } = progress
  const hasWeeks = read !== null && weeks !== null && weeks > 0
  const share = hasWeeks ? read / weeks : Math.min(1, seconds / Math.max(1, expected))
  return (
    <>
      <Bar className={styles.progress ?? ''} value={share * 100} aria-label={texts.progress} />
      <span className="num">
        {hasWeeks && `${texts.weeks(format.count(read), format.count(weeks))} · `}
        {texts.seconds(format.count(seconds), format.count(expected))}
      </span>
    </>
  )
}
