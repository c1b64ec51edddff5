import { useTexts } from '../kit/texts.tsx'
import type { Chosen } from './chosen.ts'
import { idOf } from './draft.ts'
import type { Lit } from './lit.ts'
import styles from './panel.module.css'
import { PANEL_TEXTS } from './panel-texts.ts'
import { PeoplePanel } from './people-panel.tsx'
import { RulesPanel, StepPanel } from './step-panel.tsx'
import { StepsList } from './steps-list.tsx'
import { TryPanel } from './try-panel.tsx'
import type { Editor } from './use-editor.ts'
import { VersionsPanel } from './versions-panel.tsx'

type SidePanelProps = {
  readonly editor: Editor
  readonly chosen: Chosen
  readonly inside: ReadonlyMap<string, number>
  /** Empty before the journey is saved. */
  readonly journeyId: string
  readonly onLit: (lit: Lit | null) => void
  readonly peopleAt: ((step: string) => string) | null
}

export function SidePanel({ editor, chosen, inside, journeyId, onLit, peopleAt }: SidePanelProps) {
  const texts = useTexts(PANEL_TEXTS)
  const { view, isRules } = chosen
  const step = editor.draft.steps.find((one) => idOf(one) === chosen.step)
  if (view === 'steps') {
    if (isRules) return <RulesPanel editor={editor} chosen={chosen} />
    if (step !== undefined) return <StepPanel key={chosen.step} editor={editor} chosen={chosen} step={step} />
    return <StepsList {...{ editor, chosen, inside, peopleAt }} />
  }
  if (journeyId === '') {
    const missing = { people: texts.people.unsaved, try: texts.try.first, versions: texts.versions.unsaved }
    return <p className={`${styles.form} quiet small`}>{missing[view]}</p>
  }
  if (view === 'people') return <PeoplePanel journeyId={journeyId} chosen={chosen} />
  if (view === 'try') return <TryPanel journeyId={journeyId} isDirty={editor.isDirty} onLit={onLit} />
  return <VersionsPanel journeyId={journeyId} editor={editor} />
}
