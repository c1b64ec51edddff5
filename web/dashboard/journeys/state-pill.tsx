import { Pill } from '../kit/pill.tsx'
import { useTexts } from '../kit/texts.tsx'
import { JOURNEY_TEXTS } from './texts.ts'
import type { Journey } from './use-editor.ts'

/** The state of a journey: an active one is live. */
export function StatePill({ journey }: { readonly journey: Pick<Journey, 'state' | 'is_readable'> | null }) {
  const texts = useTexts(JOURNEY_TEXTS)
  if (journey?.is_readable === false) return <Pill tone="bad">{texts.damaged}</Pill>
  const state = journey?.state ?? 'draft'
  return <Pill tone={state === 'active' ? 'live' : 'plain'}>{texts.states[state]}</Pill>
}
