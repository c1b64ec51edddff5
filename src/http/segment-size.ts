import { accept, type Result, reject } from '../domain/result.ts'
import type { WrittenFilter } from '../domain/segment.ts'
import { referenceFaults, referencesIn } from '../domain/segment-references.ts'
import type { Db } from '../store/db.ts'
import { lockReferences, resolveFilter } from '../store/segments/filters.ts'
import { countMembers, type PlatformCount } from '../store/segments/members.ts'
import type { Deps } from './deps.ts'

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

/** How many live subscriptions a filter finds now, once its references are known to be good. */
export async function measureFilter(
  { database, clock }: Deps,
  given: NewFilter,
): Promise<Result<readonly PlatformCount[]>> {
  const { brandId, filter } = given
  const checked = await database.asBrand(brandId, async (tx) => checkReferences(tx, given))
  if (!checked.ok) return checked
  const resolved = await resolveFilter(database, brandId, filter)
  return accept(await countMembers(database, { brandId, filter: resolved, now: clock.now() }))
}

export function totalOf(counts: readonly PlatformCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}
