import type { Db } from '../db.ts'
import type { EventReader } from '../events/readers.ts'

/**
 * The work that a merge or an erasure leaves for the time when no open transaction can write to the old profile any
 * more. `fence` is the number of the transaction in which the pipeline first saw it.
 */
export type FollowUp =
  | {
      readonly kind: 'merge'
      readonly mergeId: bigint
      readonly survivorId: bigint
      readonly absorbedId: bigint
    }
  | { readonly kind: 'erasure'; readonly profileId: bigint }

const PASSED = 'fence <= pg_snapshot_xmin(pg_current_snapshot())'

/**
 * A worker that has a part of a broadcast in flight has read who gets it. Until it has settled that part, it may still write the bit of a
 * device that was erased meanwhile. A lease that ended an hour ago is of a worker that is gone.
 */
const IS_SENT_TO = `exists (
  select from chunks as c cross join unnest(erasures.subscription_ids) as device
  where c.brand_id = erasures.brand_id and c.is_bulk and c.leased_until > clock_timestamp() - interval '1 hour'
    and device between c.first_id and c.last_id)`
const IS_ERASABLE = `${PASSED} and not ${IS_SENT_TO}`

/** The rows of `profile_merges` and of `erasures` that need a fence, or that can be done now. */
export const MERGE_TO_FOLLOW = `state = 'moving' and (fence is null or ${PASSED})`
export const ERASURE_TO_FOLLOW = `(fence is null or (${IS_ERASABLE}))`

/** Brands with a follow-up that needs a fence, or that can be done now. */
export async function findFollowUps(db: Db, limit: number): Promise<readonly number[]> {
  const { rows } = await db.query<{ brandId: number }>(
    `select id as "brandId" from brands
     where exists (select from profile_merges as m
         where m.brand_id = brands.id and ${MERGE_TO_FOLLOW})
       or exists (select from erasures where erasures.brand_id = brands.id and ${ERASURE_TO_FOLLOW})
     limit $1`,
    [limit],
  )
  return rows.map(({ brandId }) => brandId)
}

/**
 * Sets the fences. A transaction that may have missed a merge or an erasure has a number below, because the fence is
 * a number that was taken after their commit. The end of a snapshot would not do: open transactions can be above it.
 */
export async function raiseFences(tx: Db, brandId: number): Promise<void> {
  const fence = 'fence = pg_current_xact_id()'
  await tx.query(
    `update profile_merges set ${fence} where brand_id = $1 and state = 'moving' and fence is null`,
    [brandId],
  )
  await tx.query(`update erasures set ${fence} where brand_id = $1 and fence is null`, [brandId])
}

/**
 * The first follow-up whose fence is passed. Merges come in the order they were made, because one may build on
 * another, and only when the reader has counted every batch below the fence, so that the counts move whole.
 */
export async function nextFollowUp(
  tx: Db,
  { brandId, tx: at, batchId }: EventReader,
): Promise<FollowUp | null> {
  const { rows: erasures } = await tx.query<{ profileId: bigint }>(
    `select profile_id as "profileId" from erasures where brand_id = $1 and ${IS_ERASABLE} order by profile_id limit 1`,
    [brandId],
  )
  const [erasure] = erasures
  if (erasure !== undefined) return { kind: 'erasure', ...erasure }
  const { rows: merges } = await tx.query<{ mergeId: bigint; survivorId: bigint; absorbedId: bigint }>(
    `select id as "mergeId", survivor_id as "survivorId", absorbed_id as "absorbedId" from profile_merges
     where brand_id = $1 and state = 'moving' and ${PASSED} and not exists (
       select from event_batches as b
       where b.brand_id = $1 and (b.tx, b.id) > ($2::xid8, $3::bigint) and b.tx < fence
     )
     order by id limit 1`,
    [brandId, at, batchId],
  )
  const [merge] = merges
  return merge === undefined ? null : { kind: 'merge', ...merge }
}
