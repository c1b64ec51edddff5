import { SEGMENT_LIMITS } from '../../rules/segments.ts'
import type { Db } from '../db.ts'

export type ListBatch = {
  readonly brandId: number
  readonly tag: string
  readonly userIds: readonly string[]
  readonly now: number
}

/** What became of a user id: `new` carries the tag from now on, `known` did before. Whoever is not here is not known. */
export type Listed = { readonly userId: string; readonly kind: 'new' | 'known' | 'full' }

/** Puts a tag on people, all of them in one statement, and locks them in order so that two lists never wait in a circle. */
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
