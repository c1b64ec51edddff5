import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Template } from '../../client/api/templates.ts'
import { BeckonError } from '../../client/failure.ts'
import { BASE, type Focus, isComplete, languagesIn } from '../compose/draft.ts'
import compose from '../compose/page.module.css'
import { PreviewPane } from '../compose/preview-pane.tsx'
import { What } from '../compose/what.tsx'
import { Link } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { Page } from '../kit/page.tsx'
import { Pill } from '../kit/pill.tsx'
import { useTexts } from '../kit/texts.tsx'
import { useContentPreview } from './content-preview.ts'
import styles from './template.module.css'
import { TemplateActions } from './template-actions.tsx'
import { TEMPLATE_TEXTS } from './texts.ts'
import { useTemplate } from './use-template.ts'
import { Versions } from './versions.tsx'

type EditorProps = { readonly template: Template | null }

/** One template: its words on the left, the devices that show them on the right. */
export function TemplateEditor({ template }: EditorProps) {
  const texts = useTexts(TEMPLATE_TEXTS)
  const mayWrite = useMay('push', 'draft')
  const isArchived = (template?.archived_at ?? null) !== null
  const canWrite = mayWrite && !isArchived
  const own = useTemplate(template)
  const { draft, change, body } = own
  const [focus, setFocus] = useState<Focus>({ language: BASE, variant: 'A', platform: null })
  const [person, setPerson] = useState('')
  const { rendered, refusal } = useContentPreview({
    content: body.content,
    platforms: draft.platforms,
    person,
    language: languagesIn(draft).length === 0 ? null : focus.language || 'default',
    isEnabled: isComplete(draft),
  })
  const canSave = own.isChanged && isComplete(draft)
  return (
    <Page
      title={template?.name ?? texts.newTitle}
      above={{ name: texts.title, to: '/templates' }}
      state={<State {...{ template, isArchived }} isChanged={own.isChanged} />}
      actions={
        <>
          <Curl template={template} body={body} />
          <TemplateActions {...{ template, canSave }} isSaving={own.isPending} onSave={own.save} />
        </>
      }
    >
      {!mayWrite && <p className={compose.notice}>{texts.readOnly}</p>}
      {mayWrite && isArchived && <p className={compose.notice}>{texts.isArchived}</p>}
      <Refusal error={own.error ?? refusal} />
      <div className={compose.columns}>
        <div className={compose.left}>
          <What
            kind="template"
            {...{ draft, change, canWrite, rendered, focus, setFocus }}
            error={own.error ?? refusal}
          />
          <Others content={body.content} />
          {template !== null && <Uses snippets={template.snippets} />}
          {template !== null && <Versions {...{ template, canWrite }} onBring={own.bring} />}
        </div>
        <PreviewPane
          {...{ rendered, person, setPerson, focus }}
          platforms={draft.platforms}
          anybody={texts.anybody}
        />
      </div>
    </Page>
  )
}

type StateProps = EditorProps & { readonly isArchived: boolean; readonly isChanged: boolean }

function State({ template, isArchived, isChanged }: StateProps) {
  const texts = useTexts(TEMPLATE_TEXTS)
  return (
    <span role="status">
      {isArchived && <Pill>{texts.archived}</Pill>}
      {!isArchived && isChanged && <Pill>{texts.unsaved}</Pill>}
      {!isArchived && !isChanged && template !== null && <Pill>{texts.saved(template.version)}</Pill>}
    </span>
  )
}

type CurlProps = EditorProps & { readonly body: ReturnType<typeof useTemplate>['body'] }

/** The call that saves what stands on the page. */
function Curl({ template, body }: CurlProps) {
  if (template === null) return <CopyCurl endpoint="POST /api/v1/templates" input={{ body }} />
  const path = { template_id: String(template.template_id) }
  const input = { path, body: { ...body, version: template.version } }
  return <CopyCurl endpoint="PATCH /api/v1/templates/{template_id}" input={input} />
}

/** A refusal; when somebody else saved in between, the way to their text. */
function Refusal({ error }: { readonly error: Error | null }) {
  const { reload } = useTexts(TEMPLATE_TEXTS)
  if (error === null) return null
  const isStale = error instanceof BeckonError && error.code === 'version_stale'
  return (
    <>
      <FailureNote error={error} />
      {isStale && (
        <Button className={compose.reload ?? ''} onClick={() => location.reload()}>
          {reload}
        </Button>
      )}
    </>
  )
}

const SHOWN: readonly string[] = ['title', 'message', 'url', 'image_url', 'languages']

/** The fields of the content that this page has no controls for. */
function Others({ content }: { readonly content: Readonly<Record<string, unknown>> }) {
  const { kept } = useTexts(TEMPLATE_TEXTS)
  const others = Object.keys(content).filter((name) => !SHOWN.includes(name))
  return others.length === 0 ? null : <p className="small quiet">{kept(others.join(', '))}</p>
}

/** The snippets that the saved text renders. */
function Uses({ snippets }: { readonly snippets: readonly string[] }) {
  const { uses } = useTexts(TEMPLATE_TEXTS)
  if (snippets.length === 0) return null
  return (
    <Card title={uses.title}>
      <ul className={styles.names}>
        {snippets.map((name) => (
          <li key={name}>
            <Link to={`/templates/snippets/${name}`}>{name}</Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
