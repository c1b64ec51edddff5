import type { IdentityKind } from '../../rules/people.ts'
import type { Db } from '../db.ts'
import { profileFactSql } from '../webhooks/facts.ts'

export type NewProfiles = {
  readonly brandId: number
  readonly kind: IdentityKind
  readonly values: readonly string[]
  readonly createdAt: number
}

/**
 * Makes a profile for each identity that has none. The identity is inserted first: the process that inserts it owns
 * the profile, and a second process waits for the commit of the first and makes nothing. The foreign key is checked at
 * the end of the statement, when both rows are there. Gives the number of profiles that were made.
 */
export async function makeProfiles(
  tx: Db,
  { brandId, kind, values, createdAt }: NewProfiles,
): Promise<number> {
  const names = [...new Set(values)].toSorted()
  const { count } = await tx.query(MAKE, [brandId, kind, names, new Date(createdAt)])
  return count
}

/**
 * The statement has a name because it runs with every event of an unknown person, and planning it costs more than
 * running it.
 */
const MAKE = {
  name: 'make_profiles',
  text: `with wanted as (
      select value, nextval(pg_get_serial_sequence('profiles', 'id')) as profile_id
      from unnest($3::text[]) as value
    ), named as (
      insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
      select $1, $2, value, profile_id, $4 from wanted
      on conflict (brand_id, kind, value) do nothing
      returning brand_id, profile_id, value
    ), newcomer as (
      select brand_id, profile_id, jsonb_build_array(jsonb_build_object('kind', $2::text, 'value', value)) as identities
      from named
    ), enqueued as (
      ${profileFactSql({ from: 'newcomer', type: `'profile.created'` })}
    )
    insert into profiles (brand_id, id, created_at, updated_at)
    select $1, profile_id, $4, $4 from named`,
}
