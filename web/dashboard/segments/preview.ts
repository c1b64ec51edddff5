import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { SegmentFilter } from '../../client/api/documents.ts'
import { call, type ReplyOf } from '../kit/call.ts'
import { isWhole } from '../kit/filter/written.ts'
import { readKey } from '../kit/queries.ts'

/** How long after its last change a filter is asked about. */
export const SETTLES_MS = 350

export type Preview = ReplyOf<'POST /api/v1/segments/preview'>

/** How many a filter finds, asked a moment after its last change and only when everything in it is said. */
export function usePreview(filter: SegmentFilter): UseQueryResult<Preview> {
  const [settled] = useDebouncedValue(filter, SETTLES_MS)
  return useQuery({
    queryKey: readKey('POST /api/v1/segments/preview', { body: { filter: settled } }),
    queryFn: async ({ signal }) =>
      call('POST /api/v1/segments/preview', { body: { filter: settled } }, { signal }),
    enabled: isWhole(settled),
    placeholderData: keepPreviousData,
  })
}
