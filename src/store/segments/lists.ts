import { SEGMENT_LIMITS } from '../../rules/segments.ts'
import type { Db } from '../db.ts'

type ListBatch = {
  readonly brandId: number
  readonly tag: string
  readonly userIds: readonly string[]
  readonly now: number
}

/**
 * The result for a user id: `new` has the tag from now on, `known` had it before, `full` has no room for it. An
 * unknown user id is not listed.
 */
export type Listed = { readonly userId: string; readonly kind: 'new' | 'known' | 'full' }

/**
 * Puts a tag on people, in one statement. Profiles are locked in order, so that no two lists wait for each other in a
 * circle.
 */
export async function tagPeople(
  tx: Db,
  { brandId, tag, userIds, now }: ListBatch,
): Promise<readonly Listed[]> {
  const { rows } = await tx.query<Listed>(
    `with person as materialized (
       select i.value as "userId", i.profile_id from profile_identities as i
       where i.brand_id = $1 and i.kind = 'user_id' and i.value = any($2)
     ), locked as materialized (
       select p.id, p.tags from profiles as p where p.brand_id = $1 and p.id in (select profile_id from person)
       order by p.id for no key update
     ), tagged as (
       update profiles as p set tags = array_append(p.tags, $3), updated_at = $4 from locked
       where p.brand_id = $1 and p.id = locked.id and not locked.tags @> array[$3] and cardinality(locked.tags) < $5
     )
     select person."userId", case when locked.tags @> array[$3] then 'known'
       when cardinality(locked.tags) < $5 then 'new' else 'full' end as kind
     from person join locked on locked.id = person.profile_id`,
    [brandId, [...new Set(userIds)], tag, new Date(now), SEGMENT_LIMITS.personTagsMax],
  )
  return rows
}
