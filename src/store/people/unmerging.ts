import { type ProfileState, partProfiles } from '../../domain/people/profile-state.ts'
import type { AuthoredRequest } from '../author.ts'
import type { Database, Db } from '../db.ts'
import { anyEvents, needing } from '../event-needs.ts'
import { ensureReaders, takeReader } from '../events/readers.ts'
import { type CountsBefore, giveCountsBack } from './counts-back.ts'
import { lockIdentities } from './identities.ts'
import type { BeforeMerge } from './merging.ts'
import { FOLLOWING_TABLES } from './personal-tables.ts'
import { loadProfileState, saveProfileState } from './profile-states.ts'

export type Unmerge = { readonly brandId: number; readonly mergeId: bigint; readonly now: number }

export type MergeReport = {
  readonly id: bigint
  readonly survivorId: bigint
  readonly absorbedId: bigint
  readonly state: 'moving' | 'moved' | 'undone'
  readonly mergedAt: number
  readonly undoneAt: number | null
  readonly userIds: readonly string[]
}

/** `built_on`: the survivor itself was merged since, and that merge has to be undone first. */
export type Unmerged = 'undone' | 'not_found' | 'built_on'

/** Undoes a merge, while the counting of the brand stands still. */
export async function undoMerge(
  database: Database,
  request: Unmerge,
  author?: AuthoredRequest,
): Promise<Unmerged> {
  await ensureReaders(database, 'counting')
  return database.asEngine(async (tx) => {
    await takeReader(tx, { brandId: request.brandId, reader: 'counting' })
    return unmerge(tx, request)
  }, author)
}

/**
 * Separates two profiles that were merged. What the merge moved goes back; what was written to the survivor since
 * stays with it. The caller is the engine and has locked the counting reader, so that counts and events agree.
 */
async function unmerge(tx: Db, { brandId, mergeId, now }: Unmerge): Promise<Unmerged> {
  await lockIdentities(tx, brandId)
  const merge = await loadMerge(tx, brandId, mergeId)
  if (merge === null || merge.state === 'undone') return 'not_found'
  const current = await loadProfileState(tx, brandId, merge.survivorId)
  if (current === null) return 'built_on'
  const { before } = merge
  await restoreProfile(tx, { brandId, id: merge.absorbedId, state: before.absorbed })
  await saveProfileState(tx, brandId, merge.survivorId, partProfiles(current, before, now))
  await moveBack(tx, brandId, merge)
  await moveEventsBack(tx, brandId, merge)
  if (merge.state === 'moved') await giveCountsBack(tx, { brandId, ...merge })
  await tx.query(
    `update profile_merges set state = 'undone', undone_at = $3, before = '{}' where brand_id = $1 and id = $2`,
    [brandId, mergeId, new Date(now)],
  )
  return 'undone'
}

/** Every merge that a profile took part in, newest first. */
export async function listMerges(
  tx: Db,
  {
    brandId,
    profileId,
    limit,
  }: { readonly brandId: number; readonly profileId: bigint; readonly limit: number },
): Promise<readonly MergeReport[]> {
  const { rows } = await tx.query<MergeReport>(
    `select id, survivor_id as "survivorId", absorbed_id as "absorbedId", state, merged_at as "mergedAt",
       undone_at as "undoneAt",
       array(select name ->> 'value' from jsonb_array_elements(before -> 'names') as name
         where name ->> 'kind' = 'user_id') as "userIds"
     from profile_merges where brand_id = $1 and (survivor_id = $2 or absorbed_id = $2)
     order by id desc limit $3`,
    [brandId, profileId, limit],
  )
  return rows
}

type MergeRow = {
  readonly survivorId: bigint
  readonly absorbedId: bigint
  readonly state: 'moving' | 'moved' | 'undone'
  readonly before: BeforeMerge & CountsBefore
}

async function loadMerge(tx: Db, brandId: number, mergeId: bigint): Promise<MergeRow | null> {
  const { rows } = await tx.query<MergeRow>(
    `select survivor_id as "survivorId", absorbed_id as "absorbedId", state, before from profile_merges
     where brand_id = $1 and id = $2 for update`,
    [brandId, mergeId],
  )
  return rows[0] ?? null
}

type Restored = { readonly brandId: number; readonly id: bigint; readonly state: ProfileState }

async function restoreProfile(tx: Db, { brandId, id, state }: Restored): Promise<void> {
  await tx.query('insert into profiles (brand_id, id, created_at, updated_at) values ($1, $2, $3, $4)', [
    brandId,
    id,
    new Date(state.createdAt),
    new Date(state.updatedAt),
  ])
  await saveProfileState(tx, brandId, id, state)
}

/** Moves back the identities and devices that are still with the survivor. */
async function moveBack(
  tx: Db,
  brandId: number,
  { survivorId, absorbedId, before }: MergeRow,
): Promise<void> {
  await tx.query(
    `update profile_identities as i set profile_id = p.id, profile_created_at = p.created_at
     from profiles as p
     where i.brand_id = $1 and i.profile_id = $2 and p.brand_id = $1 and p.id = $3
       and (i.kind, i.value) in (select * from unnest($4::text[], $5::text[]))`,
    [
      brandId,
      survivorId,
      absorbedId,
      before.names.map(({ kind }) => kind),
      before.names.map(({ value }) => value),
    ],
  )
  for (const table of FOLLOWING_TABLES) {
    await tx.query(
      `update ${table} set profile_id = $3
       where brand_id = $1 and profile_id = $2 and id::text = any($4)`,
      [brandId, survivorId, absorbedId, before.followers[table] ?? []],
    )
  }
}

/** Moves events back, also while the merge is still moving them: some may have moved already. */
async function moveEventsBack(tx: Db, brandId: number, merge: MergeRow): Promise<void> {
  const { survivorId, absorbedId, before } = merge
  await tx.query(
    `update events set profile_id = $3, source_profile_id = nullif(source_profile_id, $3)
     where brand_id = $1 and profile_id = $2 and source_profile_id = any($4)`,
    // The counts that follow are made from all events of both, so all of them become rows again.
    needing([brandId, survivorId, absorbedId, [String(absorbedId), ...before.sources]], {
      ...anyEvents(brandId),
      people: [survivorId, absorbedId],
      use: 'write',
    }),
  )
}
