import { joinProfiles, type ProfileState } from '../../domain/people/profile-state.ts'
import { encodeJson } from '../../domain/values/json.ts'
import type { Db } from '../db.ts'
import { ProfileGone } from '../retry.ts'
import { identitiesSql, profileFactSql } from '../webhooks/facts.ts'
import { FOLLOWING_TABLES } from './personal-tables.ts'
import { loadProfileState, saveProfileState } from './profile-states.ts'

export type Merge = {
  readonly brandId: number
  readonly survivorId: bigint
  readonly absorbedId: bigint
  readonly now: number
}

/** The record that an undo of a merge needs: both profiles as they were, and what moved. */
export type BeforeMerge = {
  readonly survivor: ProfileState
  readonly absorbed: ProfileState
  readonly joined: ProfileState
  readonly names: readonly { readonly kind: string; readonly value: string }[]
  /** Ids of the rows that moved along, by table. */
  readonly followers: Readonly<Record<string, readonly string[]>>
  /** Profiles whose events the absorbed profile had taken over in earlier merges. */
  readonly sources: readonly string[]
}

/**
 * Merges two profiles; the caller has locked the identities. Identities and devices move at once, so that from this
 * commit on everything new belongs to the survivor. Events and counters move later, when no open transaction can write
 * to the absorbed profile (`moveAfterMerge`).
 */
export async function mergeProfiles(tx: Db, merge: Merge): Promise<void> {
  const { brandId, survivorId, absorbedId, now } = merge
  // A device may be registering for the absorbed profile. This lock waits until the device is stored and lets no other
  // begin: a device that came after the move would be deleted with the profile.
  await tx.query('select from profiles where brand_id = $1 and id = $2 for update', [brandId, absorbedId])
  const survivor = await loadProfileState(tx, brandId, survivorId)
  const absorbed = await loadProfileState(tx, brandId, absorbedId)
  if (survivor === null || absorbed === null)
    throw new ProfileGone('a profile vanished under the identity lock')
  const names = await moveNames(tx, merge)
  const followers = await moveFollowers(tx, merge)
  const joined = joinProfiles(survivor, absorbed, now)
  const sources = await loadSources(tx, merge)
  const before: BeforeMerge = { survivor, absorbed, joined, names, followers, sources }
  await saveProfileState(tx, brandId, survivorId, joined)
  await tx.query(
    `with gone as (
       delete from profiles where brand_id = $1 and id = $2 returning brand_id, created_at
     )
     insert into series_changes (brand_id, metric, at, count)
     select brand_id, 'people_new', date_trunc('minute', created_at), -1 from gone`,
    [brandId, absorbedId],
  )
  await tx.query(
    `insert into profile_merges (brand_id, survivor_id, absorbed_id, merged_at, before)
     values ($1, $2, $3, $4, $5)`,
    [brandId, survivorId, absorbedId, new Date(now), encodeJson(before)],
  )
  await enqueueMerged(tx, merge, names)
}

/** Enqueues the message about a merge, with all identities of the person and those of the absorbed profile. */
async function enqueueMerged(
  tx: Db,
  { brandId, survivorId }: Merge,
  names: BeforeMerge['names'],
): Promise<void> {
  await tx.query(
    `with merged as (
       select $1::integer as brand_id, $2::bigint as profile_id, ${identitiesSql('$2')} as identities
     )
     ${profileFactSql({ from: 'merged', type: `'profile.merged'` }, { absorbed: '$3::jsonb' })}`,
    [brandId, survivorId, encodeJson(names)],
  )
}

async function moveNames(tx: Db, { brandId, survivorId, absorbedId }: Merge): Promise<BeforeMerge['names']> {
  const { rows } = await tx.query<{ kind: string; value: string }>(
    `update profile_identities as i set profile_id = p.id, profile_created_at = p.created_at
     from profiles as p
     where i.brand_id = $1 and i.profile_id = $3 and p.brand_id = $1 and p.id = $2
     returning i.kind, i.value`,
    [brandId, survivorId, absorbedId],
  )
  return rows
}

async function moveFollowers(
  tx: Db,
  { brandId, survivorId, absorbedId }: Merge,
): Promise<BeforeMerge['followers']> {
  const followers: Record<string, readonly string[]> = {}
  for (const table of FOLLOWING_TABLES) {
    const { rows } = await tx.query<{ id: string }>(
      `update ${table} set profile_id = $2 where brand_id = $1 and profile_id = $3 returning id::text as id`,
      [brandId, survivorId, absorbedId],
    )
    if (rows.length > 0) followers[table] = rows.map(({ id }) => id)
  }
  return followers
}

async function loadSources(tx: Db, { brandId, absorbedId }: Merge): Promise<readonly string[]> {
  const { rows } = await tx.query<{ id: string; sources: readonly string[] }>(
    `select absorbed_id::text as id, before -> 'sources' as sources from profile_merges
     where brand_id = $1 and survivor_id = $2 and state <> 'undone'`,
    [brandId, absorbedId],
  )
  return rows.flatMap(({ id, sources }) => [id, ...sources])
}
