import type { SegmentFilter } from '../../client/api/documents.ts'
import type { Segment } from '../../client/api/segments.ts'
import { encodeJson, parseJson } from '../../client/json.ts'
import { addressOf } from '../kit/address.tsx'

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
  const written = encodeJson(filter)
  return addressOf(
    location.pathname,
    written.length > FILTER_CHARS_MAX ? shown : { ...shown, filter: written },
  )
}

const FILTER_CHARS_MAX = 2_000

/** The filter that an address has; null if it has none, or somebody has cut it. */
export function filterIn(text: string | undefined): SegmentFilter | null {
  try {
    const filter: unknown = text === undefined ? null : parseJson(text)
    return typeof filter === 'object' && filter !== null && !Array.isArray(filter) ? Object(filter) : null
  } catch {
    return null
  }
}
