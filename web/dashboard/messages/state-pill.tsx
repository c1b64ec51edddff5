import { Pill, type PillTone } from '../kit/pill.tsx'
import { useTexts } from '../kit/texts.tsx'
import type { MessageState } from './message.ts'
import { MESSAGES_TEXTS } from './texts.ts'

/** The state of a message in words. `detail` is what it adds, such as the time that is left. */
export function StatePill({
  state,
  detail = '',
}: {
  readonly state: MessageState
  readonly detail?: string
}) {
  const { states } = useTexts(MESSAGES_TEXTS)
  return (
    <Pill tone={TONES[state]}>
      {states[state]}
      {detail === '' ? '' : `, ${detail}`}
    </Pill>
  )
}

const TONES: Readonly<Record<MessageState, PillTone>> = {
  draft: 'plain',
  awaiting_approval: 'live',
  scheduled: 'plain',
  queued: 'live',
  sending: 'live',
  deciding: 'live',
  sent: 'ok',
  failed: 'bad',
  cancelled: 'plain',
}
