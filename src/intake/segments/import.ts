import { fault } from '../../domain/fault.ts'
import { accept, type Result } from '../../domain/result.ts'
import { parseFilter } from '../../domain/segments/filter.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import type { AuthoredRequest } from '../../store/author.ts'
import { type Listed, tagPeople } from '../../store/segments/lists.ts'
import { changeSegment, lockSegment, type SegmentKey } from '../../store/segments/segments.ts'
import { type ImportReport, importRows, type ListImport, type RowOutcome } from '../lists/import.ts'
import { measureSegment, type SegmentDeps } from './size.ts'

/**
 * Widens the filter of a segment by the tag that stands for its list; everybody whom it found before stays in it. A
 * list is a tag, so people on a list of any length are looked up, merged, exported and erased like those of every tag,
 * and the segment stays live. Do this before `importPeople`.
 */
export async function includeListTag(
  { database, clock }: SegmentDeps,
  key: SegmentKey,
  author: AuthoredRequest,
): Promise<Result<null>> {
  return database.asCaller(author, async (tx) => {
    const segment = await lockSegment(tx, key)
    if (segment === null || hasListTag(segment.filter, tagOf(key.id))) return accept(null)
    const filter = parseFilter({ any: [{ tag: tagOf(key.id) }, segment.filter] }, 'filter')
    if (!filter.ok) return filter
    const change = { name: null, filter: { filter: filter.value, size: segment.size ?? 0 }, now: clock.now() }
    await changeSegment(tx, key, change)
    return accept(null)
  })
}

/** Puts the tag of the list on everybody whom it names, and counts the segment anew. */
export async function* importPeople(
  deps: SegmentDeps,
  key: SegmentKey,
  list: Omit<ListImport<string>, 'save'>,
): AsyncGenerator<ImportReport> {
  yield* importRows({ ...list, save: async (userIds) => savePeople(deps, key, userIds) })
  await measureSegment(deps, key)
}

function tagOf(id: bigint): string {
  return `segment:${id}`
}

function hasListTag(filter: unknown, tag: string): boolean {
  if (!isJsonObject(filter)) return false
  const { any = [] } = filter
  const parts: readonly unknown[] = Array.isArray(any) ? [filter, ...any] : [filter]
  return parts.some((part) => isJsonObject(part) && part['tag'] === tag)
}

/** A user id that stands twice in a batch has two outcomes, because each row has its own. */
async function savePeople(
  { database, clock }: SegmentDeps,
  { brandId, id }: SegmentKey,
  userIds: readonly string[],
): Promise<readonly RowOutcome[]> {
  const listed = await database.asBrand(brandId, async (tx) =>
    tagPeople(tx, { brandId, tag: tagOf(id), userIds, now: clock.now() }),
  )
  const kinds = new Map(listed.map(({ userId, kind }) => [userId, kind]))
  return userIds.map((userId) => outcomeOf(kinds.get(userId)))
}

function outcomeOf(kind: Listed['kind'] | undefined): RowOutcome {
  if (kind === undefined) return { kind: 'refused', fault: fault('profile_not_found', 'user_id') }
  if (kind !== 'full') return { kind }
  const detail = 'the person carries too many tags'
  return { kind: 'refused', fault: fault('field_conflict', 'user_id', { detail }) }
}
