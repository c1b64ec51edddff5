import { encodeFilter } from '../../domain/segments/filter.ts'
import type { WrittenFilter } from '../../domain/segments/segment.ts'
import { encodeJson } from '../../domain/values/json.ts'
import { SEGMENT_FORMAT } from '../../rules/segments.ts'
import type { Db } from '../db.ts'
import { type RowPage, readPage } from '../page.ts'
import { hastenWaiting } from './waiting.ts'

/** A saved filter, in the form it was written. `size` is the number of live subscriptions at the last count. */
export type Segment = {
  readonly id: bigint
  readonly name: string
  readonly filter: unknown
  readonly size: number | null
  readonly sizedAt: number | null
  /** Why it could not be counted again since; null if it was. */
  readonly sizeReason: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly archivedAt: number | null
}

type SegmentDraft = {
  readonly brandId: number
  /** Given for a segment that comes from another service, under the id that its callers know. */
  readonly id: bigint | null
  readonly name: string
  readonly filter: WrittenFilter
  readonly size: number
  readonly now: number
}

/** Null when the given id is taken. */
export async function createSegment(tx: Db, draft: SegmentDraft): Promise<Segment | null> {
  if (draft.id !== null) return insertSegment(tx, draft)
  // A caller may have given this id to a segment before; then the sequence goes on to the next.
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const segment = await insertSegment(tx, draft)
    if (segment !== null) return segment
  }
  throw new Error(`no id for a new segment after ${ATTEMPTS_MAX} attempts`)
}

const ATTEMPTS_MAX = 1_000

async function insertSegment(tx: Db, draft: SegmentDraft): Promise<Segment | null> {
  const { brandId, id, name, filter, size, now } = draft
  const column = id === null ? '' : 'id, '
  const place = id === null ? '' : '$6, '
  const { rows } = await tx.query<Segment>(
    `insert into segments (${column}brand_id, name, filter, filter_version, size, sized_at, created_at, updated_at)
     values (${place}$1, $2, $3, ${SEGMENT_FORMAT}, $4, $5, $5, $5)
     on conflict do nothing returning ${COLUMNS}`,
    [brandId, name, encodeJson(encodeFilter(filter)), size, new Date(now), ...(id === null ? [] : [id])],
  )
  return rows[0] ?? null
}

export type SegmentKey = { readonly brandId: number; readonly id: bigint }

export async function loadSegment(db: Db, { brandId, id }: SegmentKey): Promise<Segment | null> {
  const { rows } = await db.query<Segment>(
    `select ${COLUMNS} from segments where brand_id = $1 and id = $2`,
    [brandId, id],
  )
  return rows[0] ?? null
}

/** The segment, locked until the transaction ends. */
export async function lockSegment(tx: Db, { brandId, id }: SegmentKey): Promise<Segment | null> {
  await tx.query('select from segments where brand_id = $1 and id = $2 for update', [brandId, id])
  return loadSegment(tx, { brandId, id })
}

type SegmentPage = {
  readonly brandId: number
  readonly after: bigint | null
  readonly limit: number
  readonly isArchived: boolean
}

/** A page of a brand's segments by id, either the active or the archived ones. */
export async function listSegments(db: Db, page: SegmentPage): Promise<RowPage<Segment>> {
  return readPage(db, {
    text: `select ${COLUMNS} from segments
     where brand_id = $1 and ($2::bigint is null or id > $2) and (archived_at is not null) = $3
     order by id limit $4`,
    values: [page.brandId, page.after, page.isArchived, page.limit],
    limit: page.limit,
    kind: 'documents',
  })
}

export type SegmentChange = {
  readonly name: string | null
  /** A new filter, with its size. */
  readonly filter: { readonly filter: WrittenFilter; readonly size: number } | null
  readonly now: number
}

/**
 * Changes the fields that are not null. Null when there is no such segment. Work that waits for a better filter is tried again soon, if the
 * filter is another one.
 */
export async function changeSegment(
  tx: Db,
  { brandId, id }: SegmentKey,
  { name, filter, now }: SegmentChange,
): Promise<Segment | null> {
  const { rows } = await tx.query<Segment & { readonly isOther: boolean }>(
    `with former as (
       select filter as former_filter from segments where brand_id = $1 and id = $2 for update
     )
     update segments set name = coalesce($3, name), filter = coalesce($4, filter),
       filter_version = case when $4::jsonb is null then filter_version else ${SEGMENT_FORMAT} end,
       size = coalesce($5, size), sized_at = case when $5::integer is null then sized_at else $6 end,
       size_reason = case when $5::integer is null then size_reason end, updated_at = $6
     from former where brand_id = $1 and id = $2 returning ${COLUMNS}, filter <> former_filter as "isOther"`,
    [
      brandId,
      id,
      name,
      filter === null ? null : encodeJson(encodeFilter(filter.filter)),
      filter?.size ?? null,
      new Date(now),
    ],
  )
  const [row] = rows
  if (row === undefined) return null
  const { isOther, ...segment } = row
  if (isOther) await hastenWaiting(tx, brandId)
  return segment
}

/** Stores the size of a segment now. */
export async function saveSize(
  tx: Db,
  { brandId, id }: SegmentKey,
  { size, now }: { readonly size: number; readonly now: number },
): Promise<void> {
  await tx.query(
    'update segments set size = $3, sized_at = $4, size_reason = null where brand_id = $1 and id = $2',
    [brandId, id, size, new Date(now)],
  )
}

/** Notes why the segment could not be counted. The size of the last count stays. */
export async function saveSizeReason(tx: Db, { brandId, id }: SegmentKey, reason: string): Promise<void> {
  await tx.query('update segments set size_reason = $3 where brand_id = $1 and id = $2', [
    brandId,
    id,
    reason,
  ])
}

/** Archives a segment: it takes no new notifications. A second call keeps the time of the first. */
export async function archiveSegment(
  tx: Db,
  { brandId, id, now }: SegmentKey & { readonly now: number },
): Promise<Segment | null> {
  const { rows } = await tx.query<Segment>(
    `update segments set archived_at = coalesce(archived_at, $3),
       updated_at = case when archived_at is null then $3 else updated_at end
     where brand_id = $1 and id = $2 returning ${COLUMNS}`,
    [brandId, id, new Date(now)],
  )
  return rows[0] ?? null
}

const COLUMNS = `id, name, filter, size, sized_at as "sizedAt", size_reason as "sizeReason", created_at as "createdAt",
  updated_at as "updatedAt", archived_at as "archivedAt"`
