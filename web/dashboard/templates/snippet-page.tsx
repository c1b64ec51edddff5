import { BeckonError } from '../../client/failure.ts'
import { usePathWord } from '../kit/address.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Page } from '../kit/page.tsx'
import { useRead } from '../kit/queries.ts'
import { PageSkeleton } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { SnippetEditor } from './snippet-editor.tsx'
import { TEMPLATE_TEXTS } from './texts.ts'

/** One snippet, or a new one at `/templates/new-snippet`. */
export function SnippetPage() {
  const name = usePathWord('name')
  return name === '' ? <SnippetEditor key="new" snippet={null} /> : <SavedSnippet key={name} name={name} />
}

function SavedSnippet({ name }: { readonly name: string }) {
  const texts = useTexts(TEMPLATE_TEXTS)
  const { data, error, refetch } = useRead('GET /api/v1/snippets/{name}', { path: { name } })
  if (data !== undefined) return <SnippetEditor snippet={data.snippet} />
  if (error === null) return <PageSkeleton />
  const { notFoundTitle, notFoundText } = texts.snippet
  return (
    <Page title={texts.kinds.snippets} above={{ name: texts.title, to: '/templates?show=snippets' }}>
      {error instanceof BeckonError && error.status === 404 ? (
        <Empty title={notFoundTitle} text={notFoundText} />
      ) : (
        <FailureNote error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  )
}
