import { accept, type Result, reject } from '../../domain/result.ts'
import { referenceFaults, referencesIn } from '../../domain/segments/references.ts'
import type { Filter, WrittenFilter } from '../../domain/segments/segment.ts'
import type { Db } from '../../store/db.ts'
import { lockReferences, resolveFilter } from '../../store/segments/filters.ts'
import { countMembers, totalOf } from '../../store/segments/members.ts'
import { type SegmentKey, saveSize } from '../../store/segments/segments.ts'
import type { Deps } from '../deps.ts'

/** A filter that is about to be used or saved. `self` is the segment it is for; null when that is not there yet. */
export type NewFilter = {
  readonly brandId: number
  readonly filter: WrittenFilter
  readonly self: bigint | null
}

/** Whether every segment that a filter refers to can be referred to. Holds them still until the transaction ends. */
export async function checkReferences(tx: Db, { brandId, filter, self }: NewFilter): Promise<Result<null>> {
  const ids = referencesIn(filter).map(({ id }) => id)
  if (ids.length === 0) return accept(null)
  const { graph, known } = await lockReferences(tx, brandId, ids)
  const [first, ...others] = referenceFaults(filter, { self, graph, known })
  return first === undefined ? accept(null) : reject(first, ...others)
}

/** A filter with all that it refers to, once its references are known to be good. */
export async function prepareFilter({ database }: Deps, given: NewFilter): Promise<Result<Filter>> {
  const { brandId, filter } = given
  const checked = await database.asBrand(brandId, async (tx) => checkReferences(tx, given))
  return checked.ok ? accept(await resolveFilter(database, brandId, filter)) : checked
}

/** How many live subscriptions a filter finds now. */
export async function measureFilter(deps: Deps, given: NewFilter): Promise<Result<number>> {
  const filter = await prepareFilter(deps, given)
  if (!filter.ok) return filter
  const query = { brandId: given.brandId, filter: filter.value, now: deps.clock.now() }
  return accept(totalOf(await countMembers(deps.database, query)))
}

/** Counts a segment as it is now, and notes that for the list. */
export async function measureSegment(deps: Deps, key: SegmentKey): Promise<SegmentSize> {
  const { database, clock } = deps
  const { brandId, id } = key
  const now = clock.now()
  const filter = await resolveFilter(database, brandId, { kind: 'segment', id })
  const size = totalOf(await countMembers(database, { brandId, filter, now }))
  await database.asBrand(brandId, async (tx) => saveSize(tx, key, { size, now }))
  return { size, sizedAt: now }
}

type SegmentSize = { readonly size: number; readonly sizedAt: number }
