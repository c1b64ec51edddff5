import { TextInput } from '@mantine/core'
import { JOURNEY_LIMITS } from '../../../src/rules/journeys.ts'
import { Link } from '../kit/address.tsx'
import { Icon } from '../kit/icon.tsx'
import { useFormat } from '../kit/number.tsx'
import { useTexts } from '../kit/texts.tsx'
import type { Chosen } from './chosen.ts'
import { idOf, kindOf } from './draft.ts'
import { useVoice } from './drawing.ts'
import { stepOfFault } from './graph.ts'
import { KIND_ICONS } from './kind-icons.ts'
import styles from './panel.module.css'
import { sayStep, sayTrigger } from './say.ts'
import { JOURNEY_TEXTS } from './texts.ts'
import type { Editor } from './use-editor.ts'

type StepsListProps = {
  readonly editor: Editor
  readonly chosen: Chosen
  readonly inside: ReadonlyMap<string, number>
  readonly peopleAt: ((step: string) => string) | null
}

/** The journey as a list: everything that the drawing shows and does, without a pointer. */
export function StepsList({ editor, chosen, inside, peopleAt }: StepsListProps) {
  const texts = useTexts(JOURNEY_TEXTS)
  const voice = useVoice()
  const format = useFormat()
  const { draft, change, mayEdit } = editor
  return (
    <div className={styles.form}>
      {mayEdit && (
        <TextInput
          label={texts.name}
          value={draft.name}
          maxLength={JOURNEY_LIMITS.nameCharsMax}
          onChange={({ currentTarget }) => change({ ...draft, name: currentTarget.value })}
        />
      )}
      <h2>{texts.stepsTitle}</h2>
      <ol className={styles.steps}>
        <li>
          <button type="button" onClick={() => chosen.choose({ rules: true })}>
            <span className={styles.main}>{texts.settings}</span>
            <span className={styles.said}>{sayTrigger(draft.trigger, voice)}</span>
          </button>
        </li>
        {draft.steps.map((step, index) => {
          const id = idOf(step)
          const here = inside.get(id) ?? 0
          const faults = editor.faults.filter(({ field }) => stepOfFault(field)?.index === index).length
          return (
            <li key={id}>
              <button type="button" onClick={() => chosen.choose({ step: id })}>
                <span className={styles.main}>
                  <Icon of={KIND_ICONS[kindOf(step)]} size={15} /> {texts.kinds[kindOf(step)]}{' '}
                  <span className={styles.said}>{id}</span>
                </span>
                <span className={styles.said}>{sayStep(step, voice)}</span>
                {faults > 0 && <span className={styles.bad}>{texts.faults(faults)}</span>}
              </button>
              {here > 0 && peopleAt !== null && (
                <Link
                  className={styles.count}
                  to={peopleAt(id)}
                  aria-label={texts.insideLabel(format.count(here), id)}
                >
                  <span className="num">{format.count(here)}</span>
                </Link>
              )}
            </li>
          )
        })}
      </ol>
      <OwnFaults faults={editor.faults} />
    </div>
  )
}

/** Faults of the journey as a whole. */
function OwnFaults({ faults }: Pick<Editor, 'faults'>) {
  const own = faults.filter(({ field }) => stepOfFault(field) === null)
  if (own.length === 0) return null
  return (
    <ul className={styles.faults}>
      {own.map(({ field, message }) => (
        <li key={`${field ?? ''} ${message}`}>{message}</li>
      ))}
    </ul>
  )
}
