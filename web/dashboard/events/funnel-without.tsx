import { Button } from '@mantine/core'
import { useTexts } from '../kit/texts.tsx'
import styles from './funnel.module.css'
import { STEPS_MAX, useNames } from './funnel-question.ts'
import { NamePicker } from './name-picker.tsx'
import { EVENTS_TEXTS } from './texts.ts'

/** The events that end a walk: a later step does not count for people who did one of them in between. */
export function Without({ excluded }: { readonly excluded: readonly string[] }) {
  const { funnel: texts } = useTexts(EVENTS_TEXTS)
  const setNames = useNames('without')
  return (
    <div className={styles['without']}>
      <span className="quiet">{texts.without}</span>
      {excluded.map((name) => (
        <Button
          key={name}
          size="compact-sm"
          aria-label={texts.keep(name)}
          onClick={() => setNames(excluded.filter((other) => other !== name))}
        >
          {name} ✕
        </Button>
      ))}
      {excluded.length < STEPS_MAX && (
        <NamePicker
          // A new field for each event, empty again.
          key={excluded.length}
          label={texts.exclude}
          hint={excluded.length === 0 ? texts.nothing : texts.orElse}
          value=""
          onChange={(name) => {
            if (name !== '') setNames([...new Set([...excluded, name])])
          }}
        />
      )}
    </div>
  )
}
