import type { Identifiers } from '../../domain/people/identifiers.ts'
import {
  type Identity,
  identifierNamesOf,
  keyOf,
  type Name,
  planIdentities,
} from '../../domain/people/identity-plan.ts'
import type { Db } from '../db.ts'
import { ProfileGone } from '../retry.ts'
import { profileFactSql } from '../webhooks/facts.ts'
import { mergeProfiles } from './merging.ts'

export type People = {
  readonly brandId: number
  readonly people: readonly Identifiers[]
  /** The creation time of profiles that have to be made. */
  readonly createdAt: number
  readonly now: number
}

/**
 * Makes sure that every person in the request has one profile: makes missing profiles, adds identities, and merges
 * profiles that turn out to be one person. Only for a brand that merges profiles. All changes of identities happen
 * under one lock of the brand; without a change, which is the usual case, no lock is taken. Gives the identities
 * (`keyOf`) of people who were not known before.
 */
export async function settleIdentities(tx: Db, request: People): Promise<ReadonlySet<string>> {
  const { brandId, people } = request
  const newcomers = new Set<string>()
  if (isSettled(planIdentities(people, await loadIdentities(tx, brandId, people)))) return newcomers
  await lockIdentities(tx, brandId)
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const plan = planIdentities(people, await loadIdentities(tx, brandId, people))
    if (isSettled(plan)) return newcomers
    for (const name of plan.newcomers.flat()) newcomers.add(keyOf(name))
    await makePeople(tx, request, plan.newcomers)
    await addNames(tx, brandId, plan.added)
    for (const { survivor, absorbed } of plan.merges) {
      for (const absorbedId of absorbed) {
        await mergeProfiles(tx, { brandId, survivorId: survivor.id, absorbedId, now: request.now })
      }
    }
  }
  throw new ProfileGone('identities kept changing under the lock')
}

/** Locks the identities of a brand against changes until the transaction ends. */
export async function lockIdentities(tx: Db, brandId: number): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1, $2)', [IDENTITY_LOCK, brandId])
}

/** The identities in the request that are taken, with their profiles. */
export async function loadIdentities(
  tx: Db,
  brandId: number,
  people: readonly Identifiers[],
): Promise<readonly Identity[]> {
  const names = people.flatMap(identifierNamesOf)
  const { rows } = await tx.query<Identity>(
    `select kind, value, profile_id as "profileId", profile_created_at as "profileCreatedAt"
     from (select distinct kind, value from unnest($2::text[], $3::text[]) as given (kind, value)) as name
     cross join lateral (
       select profile_id, profile_created_at from profile_identities as i
       where i.brand_id = $1 and i.kind = name.kind and i.value = name.value limit 1
     ) as taken`,
    [brandId, names.map(({ kind }) => kind), names.map(({ value }) => value)],
  )
  return rows
}

/** A device that registers at the same moment takes no lock, so a round may have to be repeated. */
const ROUNDS_MAX = 5
const IDENTITY_LOCK = 1_650_815_855

function isSettled(plan: ReturnType<typeof planIdentities>): boolean {
  return plan.newcomers.length === 0 && plan.added.length === 0 && plan.merges.length === 0
}

/** Makes profiles. A profile whose identities were all taken in the meantime is not made. */
async function makePeople(
  tx: Db,
  { brandId, createdAt }: People,
  newcomers: readonly (readonly Name[])[],
): Promise<void> {
  if (newcomers.length === 0) return
  const names = newcomers.flatMap((person, place) => person.map((name) => ({ ...name, place })))
  await tx.query(
    `with wanted as materialized (
       select place, nextval('profiles_id_seq') as profile_id
       from (select distinct place from unnest($4::integer[]) as place) as people
     ), named as (
       insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
       select $1, kind, value, profile_id, $5
       from unnest($2::text[], $3::text[], $4::integer[]) as name (kind, value, place) join wanted using (place)
       on conflict (brand_id, kind, value) do nothing
       returning brand_id, profile_id, kind, value
     ), newcomer as (
       select brand_id, profile_id, jsonb_agg(jsonb_build_object('kind', kind, 'value', value)) as identities
       from named group by brand_id, profile_id
     ), enqueued as (
       ${profileFactSql({ from: 'newcomer', type: `'profile.created'` })}
     )
     insert into profiles (brand_id, id, created_at, updated_at)
     select distinct $1::integer, profile_id, $5::timestamptz, $5::timestamptz from named`,
    [
      brandId,
      names.map(({ kind }) => kind),
      names.map(({ value }) => value),
      names.map(({ place }) => place),
      new Date(createdAt),
    ],
  )
}

async function addNames(tx: Db, brandId: number, added: readonly Identity[]): Promise<void> {
  if (added.length === 0) return
  await tx.query(
    `insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
     select $1, kind, value, profile_id, profiles.created_at
     from unnest($2::text[], $3::text[], $4::bigint[]) as name (kind, value, profile_id)
     join profiles on profiles.brand_id = $1 and profiles.id = profile_id
     on conflict (brand_id, kind, value) do nothing`,
    [
      brandId,
      added.map(({ kind }) => kind),
      added.map(({ value }) => value),
      added.map(({ profileId }) => profileId),
    ],
  )
}
