import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import type { Template } from '../../client/api/templates.ts'
import { addressOf, useGo } from '../kit/address.tsx'
import { useMay } from '../kit/member.ts'
import { NameDialog } from '../kit/name-dialog.tsx'
import { useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { TEMPLATE_TEXTS } from './texts.ts'

type ActionsProps = {
  readonly template: Template | null
  readonly canSave: boolean
  readonly isSaving: boolean
  readonly onSave: () => void
}

/** The actions on a template that the member may use. */
export function TemplateActions({ template, canSave, isSaving, onSave }: ActionsProps) {
  const texts = useTexts(TEMPLATE_TEXTS)
  const go = useGo()
  const [isArchiving, setIsArchiving] = useState(false)
  const mayWrite = useMay('push', 'draft')
  const mayArchive = useMay('push')
  const isLive = template !== null && template.archived_at === null
  return (
    <>
      {isLive && mayArchive && (
        <Button c="var(--bad)" onClick={() => setIsArchiving(true)}>
          {texts.archive}
        </Button>
      )}
      {template !== null && mayWrite && <CopyButton template={template} />}
      {isLive && mayWrite && !canSave && (
        <Button onClick={() => go(addressOf('/compose', { template: String(template.template_id) }))}>
          {texts.write}
        </Button>
      )}
      {mayWrite && (template === null || isLive) && (
        <Button variant="filled" disabled={!canSave} loading={isSaving} onClick={onSave}>
          {texts.save}
        </Button>
      )}
      {isArchiving && template !== null && (
        <ArchiveDialog template={template} onClose={() => setIsArchiving(false)} />
      )}
    </>
  )
}

function CopyButton({ template }: { readonly template: Template }) {
  const texts = useTexts(TEMPLATE_TEXTS)
  const go = useGo()
  const copy = useWrite('POST /api/v1/templates/{template_id}/duplicate', {
    refreshes: ['GET /api/v1/templates'],
    onDone: ({ template: made }) => {
      notifications.show({ message: texts.copied })
      go(`/templates/${made.template_id}`)
    },
  })
  const path = { template_id: String(template.template_id) }
  return (
    <Button loading={copy.isPending} onClick={() => copy.mutate({ path, body: {} })}>
      {texts.copy}
    </Button>
  )
}

type DialogProps = { readonly template: Template; readonly onClose: () => void }

/** An archived template does not come back, so the dialog asks for its name. */
function ArchiveDialog({ template, onClose }: DialogProps) {
  const { archiving } = useTexts(TEMPLATE_TEXTS)
  const go = useGo()
  return (
    <NameDialog
      words={{ ...archiving, text: archiving.text(template.name) }}
      name={template.name}
      endpoint="POST /api/v1/templates/{template_id}/archive"
      input={{ path: { template_id: String(template.template_id) } }}
      refreshes={['GET /api/v1/templates', 'GET /api/v1/templates/{template_id}']}
      onDone={() => go('/templates')}
      onClose={onClose}
    />
  )
}
