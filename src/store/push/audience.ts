import { parseFilter } from '../../domain/segments/filter.ts'
import type { Filter } from '../../domain/segments/segment.ts'
import type { Platform } from '../../rules/platforms.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { resolveFilter } from '../segments/filters.ts'
import { type AudienceQuery, audienceSql, type CampaignNarrowing } from './audience-sql.ts'

/** The number of live subscriptions in an audience now. Run it as the engine. */
export async function countAudience(db: Db, query: AudienceQuery): Promise<number> {
  const binds = new Binds()
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from subscriptions as s where ${audienceSql(query, binds)}`,
    binds.values,
  )
  return rows[0]?.count ?? 0
}

/** People and devices of an audience; `platform` is null in the row of all platforms together. */
export type ReachCount = {
  readonly platform: Platform | null
  readonly people: number
  readonly devices: number
}

/**
 * The live subscriptions of an audience now, and the people who have them, for each platform and for all together. A
 * device without a person counts as a person. Run it as the engine.
 */
export async function countReach(db: Db, query: AudienceQuery): Promise<readonly ReachCount[]> {
  const binds = new Binds()
  const { rows } = await db.query<ReachCount>(
    `select s.platform, count(distinct coalesce(s.profile_id, -s.id))::integer as people,
       count(*)::integer as devices
     from subscriptions as s where ${audienceSql(query, binds)} group by grouping sets ((s.platform), ())`,
    binds.values,
  )
  return rows
}

type StoredAudience = Pick<CampaignNarrowing, 'writtenFilter'> & {
  readonly brandId: number
  readonly segmentId: bigint | null
}

/** The filter of a stored notification: the one that is written with it, else that of its segment; null for everybody. */
export async function loadAudienceFilter(
  db: Db,
  { brandId, segmentId, writtenFilter }: StoredAudience,
): Promise<Filter | null> {
  if (writtenFilter === null) return segmentId === null ? null : loadFilter(db, { brandId, segmentId })
  const written = parseFilter(writtenFilter, 'filter', { isJudged: false })
  if (!written.ok) throw new Error('the stored filter of a notification does not parse')
  return resolveFilter(db, brandId, written.value)
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
