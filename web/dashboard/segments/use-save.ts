import type { SegmentFilter } from '../../client/api/documents.ts'
import type { Segment } from '../../client/api/segments.ts'
import { useGo } from '../kit/address.tsx'
import { useWrite } from '../kit/queries.ts'

export type Save = {
  readonly run: (draft: { readonly name: string; readonly filter: SegmentFilter }) => void
  readonly isPending: boolean
  readonly isSaved: boolean
  readonly error: Error | null
}

const READS = [
  'GET /api/v1/segments',
  'GET /api/v1/segments/{segment_id}',
  'GET /api/v1/segments/{segment_id}/sizes',
  'GET /api/v1/segments/{segment_id}/members',
] as const

/** Makes the segment, and goes to its page, or changes the one that is there. */
export function useSave(segment: Segment | null, onSaved: (segment: Segment) => void): Save {
  const go = useGo()
  const create = useWrite('POST /api/v1/segments', {
    refreshes: READS,
    onDone: ({ segment: made }) => go(`/segments/${made.segment_id}`, 'replace'),
  })
  const change = useWrite('PATCH /api/v1/segments/{segment_id}', {
    refreshes: READS,
    onDone: ({ segment: changed }) => onSaved(changed),
  })
  const { isPending, isSuccess, error } = segment === null ? create : change
  return {
    run: (body) => {
      if (segment === null) create.mutate({ body })
      else change.mutate({ path: { segment_id: String(segment.segment_id) }, body })
    },
    isPending,
    isSaved: isSuccess,
    error,
  }
}
