import { NumberInput, Radio, Stack, TextInput } from '@mantine/core'
import { BEST_HOUR_LIMITS } from '../../../src/rules/best-hours.ts'
import { useTexts } from '../kit/texts.tsx'
import type { ControlProps } from './draft.ts'
import styles from './page.module.css'
import { COMPOSE_TEXTS } from './texts.ts'
import type { Timing, TimingKind } from './timing.ts'

const KINDS: readonly TimingKind[] = ['now', 'at', 'own', 'best']

/** Now, at a time, on each person's own clock, or at each person's best hour. */
export function WhenControls({ draft, change }: ControlProps) {
  const { when } = useTexts(COMPOSE_TEXTS)
  const { timing } = draft
  const set = (changes: Partial<Timing>): void => change({ timing: { ...timing, ...changes } })
  const kind = (value: string): void => set({ kind: KINDS.find((one) => one === value) ?? 'now' })
  return (
    <>
      <Radio.Group label={when.kind} value={timing.kind} onChange={kind}>
        <Stack gap={8} mt={8}>
          {KINDS.map((value) => (
            <Radio key={value} size="xs" value={value} label={when[value]} />
          ))}
        </Stack>
      </Radio.Group>
      {(timing.kind === 'at' || timing.kind === 'own') && (
        <div className={styles.pair}>
          <TextInput
            type="date"
            label={when.date}
            value={timing.date}
            onChange={({ currentTarget }) => set({ date: currentTarget.value })}
          />
          <TextInput
            type="time"
            label={when.time}
            value={timing.time}
            onChange={({ currentTarget }) => set({ time: currentTarget.value })}
          />
        </div>
      )}
      {timing.kind === 'best' && (
        <NumberInput
          label={when.hours}
          min={BEST_HOUR_LIMITS.withinHoursMin}
          max={BEST_HOUR_LIMITS.withinHoursMax}
          allowDecimal={false}
          value={timing.withinHours}
          onChange={(value) => set({ withinHours: Number(value) || BEST_HOUR_LIMITS.withinHoursMax })}
        />
      )}
    </>
  )
}
