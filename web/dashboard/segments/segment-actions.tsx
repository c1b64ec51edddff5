import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Segment } from '../../client/api/segments.ts'
import { addressOf, useGo } from '../kit/address.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { SEGMENT_TEXTS } from './texts.ts'

type ActionsProps = {
  readonly segment: Segment | null
  readonly canSave: boolean
  readonly isSaving: boolean
  readonly onSave: () => void
}

/** The actions on a segment that the member may use. */
export function SegmentActions({ segment, canSave, isSaving, onSave }: ActionsProps) {
  const texts = useTexts(SEGMENT_TEXTS)
  const go = useGo()
  const [isArchiving, setIsArchiving] = useState(false)
  const mayChange = useMay('segments', 'draft')
  const mayArchive = useMay('segments')
  const mayWrite = useMay('push', 'draft')
  const isLive = segment !== null && segment.archived_at === null
  return (
    <>
      {isLive && mayArchive && (
        <Button c="var(--bad)" onClick={() => setIsArchiving(true)}>
          {texts.archive}
        </Button>
      )}
      {isLive && mayWrite && !canSave && (
        <Button onClick={() => go(addressOf('/compose', { segment: String(segment.segment_id) }))}>
          {texts.write}
        </Button>
      )}
      {mayChange && (
        <Button variant="filled" disabled={!canSave} loading={isSaving} onClick={onSave}>
          {texts.save}
        </Button>
      )}
      {isArchiving && segment !== null && (
        <ArchiveDialog segment={segment} onClose={() => setIsArchiving(false)} />
      )}
    </>
  )
}

const ARCHIVE = 'POST /api/v1/segments/{segment_id}/archive'

type DialogProps = { readonly segment: Segment; readonly onClose: () => void }

/** An archived segment does not come back, so the dialog asks for its name. */
function ArchiveDialog({ segment, onClose }: DialogProps) {
  const { archiving } = useTexts(SEGMENT_TEXTS)
  const [typed, setTyped] = useState('')
  const go = useGo()
  const input = { path: { segment_id: String(segment.segment_id) } }
  const write = useWrite(ARCHIVE, {
    refreshes: ['GET /api/v1/segments', 'GET /api/v1/segments/{segment_id}'],
    onDone: () => go('/segments'),
  })
  return (
    <Dialog opened onClose={onClose} title={archiving.title}>
      <p className="small">{archiving.text(segment.name)}</p>
      <TextInput
        mt={12}
        label={archiving.field}
        data-autofocus
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {write.error !== null && <FailureNote error={write.error} />}
      <Group mt={16} justify="flex-end">
        <CopyCurl endpoint={ARCHIVE} input={input} />
        <Button onClick={onClose}>{archiving.cancel}</Button>
        <Button
          variant="filled"
          disabled={typed.trim() !== segment.name.trim()}
          loading={write.isPending}
          onClick={() => write.mutate(input)}
        >
          {archiving.go}
        </Button>
      </Group>
    </Dialog>
  )
}
