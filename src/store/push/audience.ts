import type { Filter } from '../../domain/segments/segment.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { resolveFilter } from '../segments/filters.ts'
import { type AudienceQuery, audienceSql } from './audience-sql.ts'

/** The number of live subscriptions in an audience now. Run it as the engine. */
export async function countAudience(db: Db, query: AudienceQuery): Promise<number> {
  const binds = new Binds()
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from subscriptions as s where ${audienceSql(query, binds)}`,
    binds.values,
  )
  return rows[0]?.count ?? 0
}

export type SegmentRef = { readonly brandId: number; readonly segmentId: bigint }

/** Whether the segment exists and can be sent to; an archived one takes no new notifications. */
export async function hasSegment(db: Db, { brandId, segmentId }: SegmentRef): Promise<boolean> {
  const { count } = await db.query(
    'select from segments where brand_id = $1 and id = $2 and archived_at is null',
    [brandId, segmentId],
  )
  return count === 1
}

/**
 * The filter of a segment, archived or not, because notifications that were accepted before are still sent. A segment
 * is never deleted.
 */
export async function loadFilter(db: Db, { brandId, segmentId }: SegmentRef): Promise<Filter> {
  return resolveFilter(db, brandId, { kind: 'segment', id: segmentId })
}

/** Whether a live subscription or a person of the brand carries a tag. Run it as the engine. */
export async function isTagUsed(
  db: Db,
  { brandId, tag }: { readonly brandId: number; readonly tag: string },
): Promise<boolean> {
  const { rows } = await db.query<{ isUsed: boolean }>(
    `select exists (select from subscriptions where brand_id = $1 and tags @> array[$2] and state = 'live')
       or exists (select from profiles where brand_id = $1 and tags @> array[$2] and tags <> '{}') as "isUsed"`,
    [brandId, tag],
  )
  return rows[0]?.isUsed ?? false
}
