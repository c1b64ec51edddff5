import { accept, type Result, reject } from '../../domain/result.ts'
import { estimateSize, isTelling, marginOf } from '../../domain/segments/estimate.ts'
import { referenceFaults, referencesIn } from '../../domain/segments/references.ts'
import type { Filter, WrittenFilter } from '../../domain/segments/segment.ts'
import type { Path } from '../../domain/values/path.ts'
import { OLD_EVENTS_REASON } from '../../rules/event-files.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Database, Db } from '../../store/db.ts'
import { lockReferences, resolveFilter } from '../../store/segments/filters.ts'
import { countMembers, type PlatformCount, type SegmentQuery, totalOf } from '../../store/segments/members.ts'
import { type Segment, type SegmentKey, saveSize, saveSizeReason } from '../../store/segments/segments.ts'
import { TooManyDropped } from '../event-files/too-many-dropped.ts'

export type SegmentDeps = { readonly database: Database; readonly clock: Clock }

/** A filter that is about to be used or saved. `self` is the segment it is for; null when that is not there yet. */
export type NewFilter = {
  readonly brandId: number
  readonly filter: WrittenFilter
  readonly self: bigint | null
}

/** Whether a filter may refer to the segments that it names. They are locked until the transaction ends. */
export async function checkReferences(
  tx: Db,
  { brandId, filter, self }: NewFilter,
  path: Path = 'filter',
): Promise<Result<null>> {
  const ids = referencesIn(filter).map(({ id }) => id)
  if (ids.length === 0) return accept(null)
  const { graph, known } = await lockReferences(tx, brandId, ids)
  const [first, ...others] = referenceFaults(filter, { self, graph, known }, path)
  return first === undefined ? accept(null) : reject(first, ...others)
}

/** A filter with all that it refers to, once its references are known to be good. Their faults are told from `path` on. */
export async function prepareFilter(
  { database }: SegmentDeps,
  given: NewFilter,
  path: Path = 'filter',
): Promise<Result<Filter>> {
  const { brandId, filter } = given
  if (referencesIn(filter).length === 0) return accept(await resolveFilter(database, brandId, filter))
  const checked = await database.asBrand(brandId, async (tx) => checkReferences(tx, given, path))
  return checked.ok ? accept(await resolveFilter(database, brandId, filter)) : checked
}

/** How many live subscriptions a filter finds now. */
export async function measureFilter(deps: SegmentDeps, given: NewFilter): Promise<Result<number>> {
  const filter = await prepareFilter(deps, given)
  if (!filter.ok) return filter
  const query = { brandId: given.brandId, filter: filter.value, now: deps.clock.now() }
  return accept(totalOf(await countMembers(deps.database, query)))
}

/**
 * Counts a segment as it is now, and notes that for the list. This catches the error of a count that needs too many old events, because
 * the segment can be read all the same: it has the size of its last count, and the reason.
 */
export async function measureSegment(deps: SegmentDeps, key: SegmentKey): Promise<Partial<SegmentSize>> {
  const { database, clock } = deps
  const { brandId, id } = key
  const now = clock.now()
  const filter = await resolveFilter(database, brandId, { kind: 'segment', id })
  try {
    const size = totalOf(await countMembers(database, { brandId, filter, now }))
    await database.asBrand(brandId, async (tx) => saveSize(tx, key, { size, now }))
    return { size, sizedAt: now, sizeReason: null }
  } catch (cause) {
    if (!(cause instanceof TooManyDropped)) throw cause
    await database.asBrand(brandId, async (tx) => saveSizeReason(tx, key, OLD_EVENTS_REASON))
    return { sizeReason: OLD_EVENTS_REASON }
  }
}

type SegmentSize = Pick<Segment, 'size' | 'sizedAt' | 'sizeReason'>

/** `margin` is how far the counts may be off; 0 when everybody was counted. */
export type EstimatedSize = { readonly counts: readonly PlatformCount[]; readonly margin: number }

/**
 * About how many live subscriptions a filter finds now. An eighth of the people is counted first, and the rest only if
 * the eighth is too small for an estimate, or was counted fast. Nobody is counted twice.
 */
export async function estimateMembers(
  { database, clock }: SegmentDeps,
  query: SegmentQuery,
): Promise<EstimatedSize> {
  const beganAt = clock.now()
  const picked = await countMembers(database.reader, { ...query, share: 'picked' })
  const found = totalOf(picked)
  if (isTelling({ found, tookMs: clock.now() - beganAt })) {
    const counts = picked.map(({ platform, count }) => ({ platform, count: estimateSize(count) }))
    return { counts, margin: marginOf(found) }
  }
  const others = await countMembers(database.reader, { ...query, share: 'others' })
  return { counts: addCounts(picked, others), margin: 0 }
}

function addCounts(some: readonly PlatformCount[], more: readonly PlatformCount[]): readonly PlatformCount[] {
  const sums = new Map(some.map(({ platform, count }) => [platform, count]))
  for (const { platform, count } of more) sums.set(platform, (sums.get(platform) ?? 0) + count)
  return [...sums].map(([platform, count]) => ({ platform, count }))
}
