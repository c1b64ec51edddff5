import type { SegmentFilter } from '../../client/api/documents.ts'
import type { Segment } from '../../client/api/segments.ts'
import { addressOf } from '../kit/address.tsx'
import { filterWord } from '../kit/filter/filter-word.ts'

type MembersOf = {
  /** The segment as it is saved; null while it is being changed. */
  readonly segment: Segment | null
  readonly filter: SegmentFilter
  readonly platform?: string
}

/**
 * The address of the devices that a number of the page counts. A filter that is not saved stands in it, so that a new tab
 * shows the same devices. One that is too long for an address is known to this page only.
 */
export function membersAddress({ segment, filter, platform }: MembersOf): string {
  const shown = { show: 'all', platform }
  if (segment !== null) return addressOf(`/segments/${segment.segment_id}`, shown)
  return addressOf(location.pathname, { ...shown, filter: filterWord(filter) ?? undefined })
}
