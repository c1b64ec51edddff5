import { estimateSize, isTelling, marginOf } from '../../domain/segments/estimate.ts'
import { countMembers, type PlatformCount, type SegmentQuery, totalOf } from '../../store/segments/members.ts'
import type { Deps } from '../deps.ts'

/** A size as it is told. `margin` is how far it may be off; 0 when everybody was counted. */
export type ToldSize = { readonly counts: readonly PlatformCount[]; readonly margin: number }

/**
 * About how many live subscriptions a filter finds now. An eighth of the people is asked about first; the others only if
 * that is too few to tell, or quick. What was counted is not counted again.
 */
export async function estimateMembers({ database, clock }: Deps, query: SegmentQuery): Promise<ToldSize> {
  const beganAt = clock.now()
  const picked = await countMembers(database, { ...query, share: 'picked' })
  const found = totalOf(picked)
  if (isTelling({ found, tookMs: clock.now() - beganAt })) {
    const counts = picked.map(({ platform, count }) => ({ platform, count: estimateSize(count) }))
    return { counts, margin: marginOf(found) }
  }
  const others = await countMembers(database, { ...query, share: 'others' })
  return { counts: addCounts(picked, others), margin: 0 }
}

function addCounts(some: readonly PlatformCount[], more: readonly PlatformCount[]): readonly PlatformCount[] {
  const sums = new Map(some.map(({ platform, count }) => [platform, count]))
  for (const { platform, count } of more) sums.set(platform, (sums.get(platform) ?? 0) + count)
  return [...sums].map(([platform, count]) => ({ platform, count }))
}
