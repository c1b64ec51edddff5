import { SEGMENT_ESTIMATE } from '../../rules/segments.ts'

/**
 * Whom a count asks about, if not everybody: the people whom chance picked, for good, or the others. A device that nobody
 * logged in to stands for itself.
 */
export type SegmentShare = 'picked' | 'others'

/** What narrows the rows with these ids to a share of them; nothing if all are asked about. */
export function shareSql(share: SegmentShare | undefined, id: string): string {
  if (share === undefined) return ''
  return ` and hashint8(${id}) & ${SEGMENT_ESTIMATE.shares - 1} ${share === 'picked' ? '=' : '<>'} 0`
}
