import { NumberInput, Select, Switch } from '@mantine/core'
import { TRIAL_LIMITS } from '../../../src/rules/trials.ts'
import { useTexts } from '../kit/texts.tsx'
import type { ControlProps, Trial } from './draft.ts'
import styles from './page.module.css'
import { COMPOSE_TEXTS } from './texts.ts'

/** A second text, and how the better one is found. */
export function TrialControls({ draft, change }: ControlProps) {
  const texts = useTexts(COMPOSE_TEXTS).trial
  const { trial, timing, goal } = draft
  const set = (changes: Partial<Trial>): void => change({ trial: { ...trial, ...changes } })
  if (trial.kind === 'kept') return <p className="small quiet">{texts.kept}.</p>
  return (
    <>
      <Switch
        size="xs"
        label={texts.on}
        checked={trial.kind === 'ab'}
        onChange={({ currentTarget }) => set({ kind: currentTarget.checked ? 'ab' : 'none' })}
      />
      {trial.kind === 'ab' && timing.kind === 'best' && <p className="small quiet">{texts.bestHour}</p>}
      {trial.kind === 'ab' && timing.kind !== 'best' && (
        <Select
          label={texts.winner}
          allowDeselect={false}
          value={trial.winner}
          data={[
            { value: 'none', label: texts.figures.none },
            { value: 'click', label: texts.figures.click },
            ...(goal === null ? [] : [{ value: 'goal', label: texts.figures.goal }]),
          ]}
          onChange={(winner) => set({ winner: winner === 'click' || winner === 'goal' ? winner : 'none' })}
        />
      )}
      {trial.kind === 'ab' && timing.kind !== 'best' && trial.winner !== 'none' && (
        <div className={styles.pair}>
          <NumberInput
            label={texts.percent}
            min={TRIAL_LIMITS.testPercentMin}
            max={TRIAL_LIMITS.testPercentMax}
            allowDecimal={false}
            suffix=" %"
            value={trial.testPercent}
            onChange={(value) => set({ testPercent: Number(value) || TRIAL_LIMITS.testPercentMin })}
          />
          <NumberInput
            label={texts.hours}
            min={TRIAL_LIMITS.afterHoursMin}
            max={TRIAL_LIMITS.afterHoursMax}
            allowDecimal={false}
            value={trial.afterHours}
            onChange={(value) => set({ afterHours: Number(value) || TRIAL_LIMITS.afterHoursMin })}
          />
        </div>
      )}
    </>
  )
}
