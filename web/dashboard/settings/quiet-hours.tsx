import { SegmentedControl, Switch, TextInput } from '@mantine/core'
import type { QuietHours } from '../../client/api/common.ts'
import { useTexts } from '../kit/texts.tsx'
import { BRAND_TEXTS } from './brand-texts.ts'
import styles from './page.module.css'

type QuietHoursProps = {
  readonly value: QuietHours | null
  readonly onChange: (hours: QuietHours | null) => void
}

const USUAL: QuietHours = { from: '22:00', until: '08:00', then: 'later' }

/** The hours on each person's own clock in which nothing is sent. */
export function QuietHoursFields({ value, onChange }: QuietHoursProps) {
  const { quiet: texts } = useTexts(BRAND_TEXTS)
  return (
    <>
      <Switch
        label={texts.on}
        description={texts.hint}
        checked={value !== null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? USUAL : null)}
      />
      {value !== null && (
        <div className={styles.row}>
          <TextInput
            type="time"
            label={texts.from}
            value={value.from}
            onChange={({ currentTarget }) => onChange({ ...value, from: currentTarget.value })}
          />
          <TextInput
            type="time"
            label={texts.until}
            value={value.until}
            onChange={({ currentTarget }) => onChange({ ...value, until: currentTarget.value })}
          />
          <SegmentedControl
            aria-label={texts.then}
            value={value.then}
            onChange={(then) => onChange({ ...value, then: then === 'drop' ? 'drop' : 'later' })}
            data={[
              { value: 'later', label: texts.later },
              { value: 'drop', label: texts.drop },
            ]}
          />
        </div>
      )}
    </>
  )
}
