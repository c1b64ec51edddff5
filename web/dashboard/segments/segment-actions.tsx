import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Segment } from '../../client/api/segments.ts'
import { addressOf, useGo } from '../kit/address.tsx'
import { useMay } from '../kit/member.ts'
import { NameDialog } from '../kit/name-dialog.tsx'
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

type DialogProps = { readonly segment: Segment; readonly onClose: () => void }

/** An archived segment does not come back, so the dialog asks for its name. */
function ArchiveDialog({ segment, onClose }: DialogProps) {
  const { archiving } = useTexts(SEGMENT_TEXTS)
  const go = useGo()
  return (
    <NameDialog
      words={{ ...archiving, text: archiving.text(segment.name) }}
      name={segment.name}
      endpoint="POST /api/v1/segments/{segment_id}/archive"
      input={{ path: { segment_id: String(segment.segment_id) } }}
      refreshes={['GET /api/v1/segments', 'GET /api/v1/segments/{segment_id}']}
      onDone={() => go('/segments')}
      onClose={onClose}
    />
  )
}
