import { Button, Group, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { JOURNEY_STATES } from '../../../src/rules/journeys.ts'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { useFormat } from '../kit/number.tsx'
import { useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { PANEL_TEXTS } from './panel-texts.ts'
import type { Journey } from './use-editor.ts'

const ACTIONS = [
  { name: 'archive', to: 'archived' },
  { name: 'pause', to: 'paused' },
  { name: 'activate', to: 'active' },
] as const

type ActionName = (typeof ACTIONS)[number]['name']

const ENDPOINTS = {
  activate: 'POST /api/v1/journeys/{journey_id}/activate',
  pause: 'POST /api/v1/journeys/{journey_id}/pause',
  archive: 'POST /api/v1/journeys/{journey_id}/archive',
} as const

type StateActionsProps = {
  readonly journey: Journey
  readonly inside: number
  /** False while there are changes to save or things to mend: then saving is the one thing to do. */
  readonly isReady: boolean
}

/** Activates, pauses or archives, and says first what that does. */
export function StateActions({ journey, inside, isReady }: StateActionsProps) {
  const texts = useTexts(PANEL_TEXTS)
  const [asked, setAsked] = useState<ActionName | null>(null)
  if (!useMay('journeys')) return null
  const next: readonly string[] = JOURNEY_STATES[journey.state].next
  return (
    <>
      {ACTIONS.filter(({ to }) => next.includes(to)).map(({ name }) => (
        <Button
          key={name}
          variant={name === 'activate' && isReady ? 'filled' : 'default'}
          disabled={name === 'activate' && !isReady}
          {...(name === 'archive' ? { c: 'var(--bad)' } : {})}
          onClick={() => setAsked(name)}
        >
          {texts[name]}
        </Button>
      ))}
      {asked !== null && (
        <StateDialog journey={journey} inside={inside} action={asked} onClose={() => setAsked(null)} />
      )}
    </>
  )
}

type StateDialogProps = {
  readonly journey: Journey
  readonly inside: number
  readonly action: ActionName
  readonly onClose: () => void
}

/** Nothing leads out of the archive, so it asks for the name. */
function StateDialog({ journey, inside, action, onClose }: StateDialogProps) {
  const texts = useTexts(PANEL_TEXTS)
  const format = useFormat()
  const [typed, setTyped] = useState('')
  const write = useWrite(ENDPOINTS[action], {
    refreshes: [
      'GET /api/v1/journeys/{journey_id}',
      'GET /api/v1/journeys',
      'GET /api/v1/journeys/{journey_id}/counts',
    ],
    onDone: () => {
      notifications.show({ message: texts.done[action] })
      onClose()
    },
  })
  const input = { path: { journey_id: String(journey.journey_id) } }
  const isArchive = action === 'archive'
  const told = isArchive ? texts.told.archive(format.count(inside), journey.name) : texts.told[action]
  return (
    <Dialog opened onClose={onClose} title={texts[action]}>
      <p className="small" style={{ overflowWrap: 'anywhere' }}>
        {told}
      </p>
      {isArchive && (
        <TextInput
          mt={12}
          data-autofocus
          label={texts.archiveField}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      )}
      {write.error !== null && <FailureNote error={write.error} />}
      <Group mt={16} justify="flex-end">
        <CopyCurl endpoint={ENDPOINTS[action]} input={input} />
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button
          variant="filled"
          loading={write.isPending}
          disabled={isArchive && typed.trim() !== journey.name.trim()}
          onClick={() => write.mutate(input)}
        >
          {texts[action]}
        </Button>
      </Group>
    </Dialog>
  )
}
