import { useId, useState } from 'react'
import { Card } from '../kit/card.tsx'
import { useTexts } from '../kit/texts.tsx'
import type { ControlProps } from './draft.ts'
import { GoalControls, HoldoutControls, PaceControls, TopicControls } from './measures.tsx'
import styles from './page.module.css'
import { type OptionName, useSentences } from './sentences.ts'
import { COMPOSE_TEXTS } from './texts.ts'
import { TrialControls } from './trial.tsx'
import { WhenControls } from './when.tsx'
import type { PartProps } from './who.tsx'

const NAMES: readonly OptionName[] = ['when', 'variants', 'goal', 'holdout', 'throttle', 'topic']

/** Everything else about the message, each as a sentence that opens into its controls. */
export function Options({ draft, change, canWrite }: Pick<PartProps, 'draft' | 'change' | 'canWrite'>) {
  const { options } = useTexts(COMPOSE_TEXTS)
  const sentences = useSentences(draft)
  const [open, setOpen] = useState<OptionName | null>(null)
  const panel = useId()
  return (
    <Card>
      <div className={styles.options} role="group" aria-label={options.label}>
        {NAMES.map((name) => (
          <div key={name} className={styles.option} data-open={open === name}>
            <h2 className={styles.optionName}>{options[name]}</h2>
            <button
              type="button"
              className={styles.sentence}
              aria-expanded={open === name}
              aria-controls={panel}
              aria-label={`${options[name]}: ${sentences[name]}`}
              onClick={() => setOpen(open === name ? null : name)}
            >
              {sentences[name]}
            </button>
          </div>
        ))}
      </div>
      <fieldset className={open === null ? styles.closed : styles.panel} id={panel} disabled={!canWrite}>
        <legend className="sr-only">{open === null ? options.label : options[open]}</legend>
        {open !== null && <Controls name={open} {...{ draft, change }} />}
      </fieldset>
    </Card>
  )
}

function Controls({ name, ...rest }: ControlProps & { readonly name: OptionName }) {
  switch (name) {
    case 'when':
      return <WhenControls {...rest} />
    case 'variants':
      return <TrialControls {...rest} />
    case 'goal':
      return <GoalControls {...rest} />
    case 'holdout':
      return <HoldoutControls {...rest} />
    case 'throttle':
      return <PaceControls {...rest} />
    case 'topic':
      return <TopicControls {...rest} />
    default:
      return null
  }
}
