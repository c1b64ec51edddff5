import { BeckonError } from '../../client/failure.ts'
import { usePathWord } from '../kit/address.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Page } from '../kit/page.tsx'
import { useRead } from '../kit/queries.ts'
import { PageSkeleton } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { TemplateEditor } from './template-editor.tsx'
import { TEMPLATE_TEXTS } from './texts.ts'

/** One template, or a new one at `/templates/new`. */
export function TemplatePage() {
  const id = usePathWord('templateId')
  return id === 'new' ? <TemplateEditor key="new" template={null} /> : <SavedTemplate key={id} id={id} />
}

function SavedTemplate({ id }: { readonly id: string }) {
  const texts = useTexts(TEMPLATE_TEXTS)
  const path = { template_id: id }
  const { data, error, refetch } = useRead('GET /api/v1/templates/{template_id}', { path })
  if (data !== undefined) return <TemplateEditor template={data.template} />
  if (error === null) return <PageSkeleton />
  return (
    <Page title={texts.title} above={{ name: texts.title, to: '/templates' }}>
      {error instanceof BeckonError && error.status === 404 ? (
        <Empty title={texts.notFoundTitle} text={texts.notFoundText} />
      ) : (
        <FailureNote error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  )
}
