import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { SegmentFilter } from '../../client/api/documents.ts'
import { BeckonError } from '../../client/failure.ts'
import { encodeJson } from '../../client/json.ts'
import { call, type ReplyOf } from '../kit/call.ts'
import type { FilterFault } from '../kit/filter/faults.tsx'
import { blanksIn, writtenOf } from '../kit/filter/written.ts'
import { readKey } from '../kit/queries.ts'

/** How long after its last change a filter is asked about. */
export const SETTLES_MS = 350

export type Preview = ReplyOf<'POST /api/v1/segments/preview'>

/** How many a filter finds, asked a moment after its last change and only when everything in it is said. */
export function usePreview(filter: SegmentFilter): UseQueryResult<Preview> {
  const [settled] = useDebouncedValue(filter, SETTLES_MS)
  return useQuery({
    // A long integer is a bigint, which the cache could not write down by itself.
    queryKey: [...readKey('POST /api/v1/segments/preview'), encodeJson(settled)],
    queryFn: async ({ signal }) =>
      call('POST /api/v1/segments/preview', { body: { filter: settled } }, { signal }),
    enabled: isWhole(settled),
    placeholderData: keepPreviousData,
  })
}

export function isWhole(filter: SegmentFilter): boolean {
  return blanksIn(writtenOf(filter)).length === 0
}

/** The flaws and warnings of a reply that are about places of the filter. */
export function faultsOf(error: Error | null, reply: Preview | undefined): readonly FilterFault[] {
  const errors = error instanceof BeckonError ? error.errors : []
  const warnings = error === null ? (reply?.warnings ?? []) : []
  return [
    ...errors.map(({ field, message }) => ({ field: field ?? '', message, tone: 'bad' as const })),
    ...warnings.map(({ field, message }) => ({ field, message, tone: 'note' as const })),
  ].filter(({ field }) => field.startsWith('filter'))
}
