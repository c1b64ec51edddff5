import { Autocomplete, Button, NumberInput, Select } from '@mantine/core'
import { GOAL_LIMITS } from '../../../src/rules/goals.ts'
import { TRIAL_LIMITS } from '../../../src/rules/trials.ts'
import { useRead } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import type { ControlProps } from './draft.ts'
import styles from './page.module.css'
import { COMPOSE_TEXTS } from './texts.ts'

const DAYS = 3

/** The event that the message is to bring about. */
export function GoalControls({ draft, change }: ControlProps) {
  const { goal: texts } = useTexts(COMPOSE_TEXTS)
  const { data } = useRead('GET /api/v1/events/schema', { query: { limit: 100 } })
  const { event, withinDays } = draft.goal ?? { event: '', withinDays: DAYS }
  const set = (name: string, days: number): void =>
    change({ goal: name.trim() === '' ? null : { event: name, withinDays: days } })
  return (
    <>
      <div className={styles.pair}>
        <Autocomplete
          label={texts.event}
          value={event}
          data={(data?.events ?? []).map(({ event_name: name }) => name)}
          onChange={(name) => set(name, withinDays)}
        />
        <NumberInput
          label={texts.days}
          min={1}
          max={GOAL_LIMITS.withinDaysMax}
          allowDecimal={false}
          value={withinDays}
          onChange={(value) => set(event, Number(value) || DAYS)}
        />
      </div>
      {draft.goal !== null && (
        <Button className={styles.start ?? ''} size="compact-sm" onClick={() => change({ goal: null })}>
          {texts.clear}
        </Button>
      )}
    </>
  )
}

/** The part of the people who get nothing, for comparison. */
export function HoldoutControls({ draft, change }: ControlProps) {
  const { holdout } = useTexts(COMPOSE_TEXTS)
  return (
    <NumberInput
      label={holdout.percent}
      min={0}
      max={TRIAL_LIMITS.holdoutPercentMax}
      allowDecimal={false}
      suffix=" %"
      value={draft.holdoutPercent}
      onChange={(value) => change({ holdoutPercent: Number(value) || 0 })}
    />
  )
}

/** How fast the message leaves. */
export function PaceControls({ draft, change }: ControlProps) {
  const { throttle } = useTexts(COMPOSE_TEXTS)
  return (
    <NumberInput
      label={throttle.field}
      min={1}
      allowDecimal={false}
      value={draft.perSecond ?? ''}
      onChange={(value) => change({ perSecond: Number(value) || null })}
    />
  )
}

/** The topic that people can opt out of. */
export function TopicControls({ draft, change }: ControlProps) {
  const { topic } = useTexts(COMPOSE_TEXTS)
  const { data } = useRead('GET /api/v1/topics', {})
  return (
    <Select
      label={topic.field}
      placeholder={topic.choose}
      clearable
      value={draft.topic === '' ? null : draft.topic}
      data={(data?.topics ?? []).map(({ name, title }) => ({ value: name, label: title }))}
      onChange={(name) => change({ topic: name ?? '' })}
    />
  )
}
