import { parseFilter } from '../../domain/segments/filter.ts'
import { inlineSegments, type ReferenceGraph, referencesIn } from '../../domain/segments/references.ts'
import type { Filter, WrittenFilter } from '../../domain/segments/segment.ts'
import { SEGMENT_LIMITS } from '../../rules/segments.ts'
import { lockOfBrand } from '../brand/lock.ts'
import type { Db } from '../db.ts'

/** A filter with the segments that it refers to, as they are now, archived or not. All of them must exist. */
export async function resolveFilter(db: Db, brandId: number, filter: WrittenFilter): Promise<Filter> {
  const others = new Map<bigint, WrittenFilter>()
  let wanted = idsIn([filter], others)
  // No saved filter has references that are deeper than this, itself included.
  for (let step = 0; wanted.length > 0 && step <= SEGMENT_LIMITS.referenceDepthMax; step++) {
    const loaded = await loadFilters(db, brandId, wanted)
    for (const [id, other] of loaded) others.set(id, other)
    wanted = idsIn([...loaded.values()], others)
  }
  return inlineSegments(filter, others)
}

function idsIn(
  filters: readonly WrittenFilter[],
  known: ReadonlyMap<bigint, WrittenFilter>,
): readonly bigint[] {
  const ids = filters.flatMap((filter) => referencesIn(filter)).map(({ id }) => id)
  return [...new Set(ids)].filter((id) => !known.has(id))
}

async function loadFilters(
  db: Db,
  brandId: number,
  ids: readonly bigint[],
): Promise<ReadonlyMap<bigint, WrittenFilter>> {
  const { rows } = await db.query<{ id: bigint; filter: unknown }>(
    'select id, filter from segments where brand_id = $1 and id = any($2)',
    [brandId, ids],
  )
  return new Map(rows.map(({ id, filter }) => [id, parsed(id, filter)]))
}

/** A stored filter was checked before it was saved. If it cannot be read, the mistake is ours. */
function parsed(id: bigint, stored: unknown): WrittenFilter {
  const filter = parseFilter(stored, 'filter', { isJudged: false })
  if (!filter.ok) throw new Error(`the stored filter of segment ${id} does not parse`)
  return filter.value
}

type ReferenceFacts = { readonly graph: ReferenceGraph; readonly known: ReadonlySet<bigint> }

/**
 * How the segments of a brand refer to each other, and which of `ids` exist. Changes of references wait for each other
 * until the transaction ends, so that no two of them close a circle.
 */
export async function lockReferences(
  tx: Db,
  brandId: number,
  ids: readonly bigint[],
): Promise<ReferenceFacts> {
  await lockOfBrand(tx, brandId, 'segment references')
  const { rows } = await tx.query<{ id: bigint; references: readonly (number | bigint)[] }>(
    `select id, jsonb_path_query_array(filter, 'strict $.**.segment') as references
     from segments where brand_id = $1 and filter @? 'strict $.**.segment'`,
    [brandId],
  )
  const { rows: known } = await tx.query<{ id: bigint }>(
    'select id from segments where brand_id = $1 and id = any($2)',
    [brandId, ids],
  )
  return {
    graph: new Map(rows.map(({ id, references }) => [id, references.map(BigInt)])),
    known: new Set(known.map(({ id }) => id)),
  }
}
