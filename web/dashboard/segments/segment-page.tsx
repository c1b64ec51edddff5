import { BeckonError } from '../../client/failure.ts'
import { usePathWord } from '../kit/address.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Page } from '../kit/page.tsx'
import { useRead } from '../kit/queries.ts'
import { PageSkeleton } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { SegmentEditor } from './segment-editor.tsx'
import { SEGMENT_TEXTS } from './texts.ts'

/** One segment, or a new one at `/segments/new`. */
export function SegmentPage() {
  const id = usePathWord('segmentId')
  return id === 'new' ? <SegmentEditor key="new" segment={null} /> : <SavedSegment key={id} id={id} />
}

function SavedSegment({ id }: { readonly id: string }) {
  const texts = useTexts(SEGMENT_TEXTS)
  const { data, error, refetch } = useRead('GET /api/v1/segments/{segment_id}', { path: { segment_id: id } })
  if (data !== undefined) return <SegmentEditor segment={data.segment} />
  if (error === null) return <PageSkeleton />
  return (
    <Page title={texts.title} above={{ name: texts.title, to: '/segments' }}>
      {error instanceof BeckonError && error.status === 404 ? (
        <Empty title={texts.notFoundTitle} text={texts.notFoundText} />
      ) : (
        <FailureNote error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  )
}
