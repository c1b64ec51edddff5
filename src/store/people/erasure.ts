import type { Identifiers } from '../../domain/people/identifiers.ts'
import { identifierNamesOf, keyOf } from '../../domain/people/identity-plan.ts'
import type { Db } from '../db.ts'
import { cancelNotifications } from '../push/cancel.ts'
import { ERASED, identitiesSql, profileFactSql } from '../webhooks/facts.ts'
import { loadIdentities, lockIdentities } from './identities.ts'

export type ErasureRequest = {
  readonly brandId: number
  readonly people: readonly Identifiers[]
  readonly now: number
}

/**
 * Erases people: their profiles, identities, devices and the stored replies that show them are gone with this commit,
 * and notifications that wait for them are cancelled. The pipeline deletes their events when no open transaction can add to them; the rows in
 * `erasures` make sure of it after any kill. Returns which of the people were known.
 */
export async function eraseProfiles(tx: Db, request: ErasureRequest): Promise<readonly boolean[]> {
  const { brandId, people } = request
  await lockIdentities(tx, brandId)
  const identities = await loadIdentities(tx, brandId, people)
  const known = new Map(identities.map((identity) => [keyOf(identity), identity.profileId]))
  const found = people.map((who) => identifierNamesOf(who).flatMap((name) => known.get(keyOf(name)) ?? []))
  const profileIds = [...new Set(found.flat())]
  if (profileIds.length > 0) await erase(tx, request, profileIds)
  return found.map((ids) => ids.length > 0)
}

async function erase(tx: Db, { brandId, now }: ErasureRequest, profileIds: readonly bigint[]): Promise<void> {
  // A device may be registering for one of the profiles. This lock waits until the device is stored and lets no other
  // begin, so that the devices found below are all there are.
  await tx.query('select from profiles where brand_id = $1 and id = any($2) order by id for update', [
    brandId,
    profileIds,
  ])
  await rememberErasures(tx, { brandId, profileIds, now })
  await cancelPending(tx, brandId, profileIds)
  await forgetReplies(tx, brandId, profileIds)
  await tx.query(
    `with erased as (
       select brand_id, id as profile_id, ${identitiesSql('p.id')} as identities
       from profiles as p where brand_id = $1 and id = any($2)
     )
     ${profileFactSql({ from: 'erased', type: ERASED })}`,
    [brandId, profileIds],
  )
  await tx.query(
    `${THEIRS}
     delete from profile_merges using theirs
     where brand_id = $1 and (survivor_id = theirs.id or absorbed_id = theirs.id)`,
    [brandId, profileIds],
  )
  // Left to the cascade, devices would be deleted with the rights of the tables' owner, for whom no policy lets the triggers count them.
  await tx.query('delete from subscriptions where brand_id = $1 and profile_id = any($2)', [
    brandId,
    profileIds,
  ])
  await tx.query('delete from profiles where brand_id = $1 and id = any($2)', [brandId, profileIds])
}

/** The profiles $2, and all profiles that were merged into them. */
const THEIRS = `with recursive theirs as (
    select unnest($2::bigint[]) as id
    union
    select absorbed_id from profile_merges join theirs on survivor_id = theirs.id
    where brand_id = $1 and state <> 'undone'
  )`

/** Deletes the replies kept for an Idempotency-Key that show the people or their devices. */
async function forgetReplies(tx: Db, brandId: number, profileIds: readonly bigint[]): Promise<void> {
  await tx.query(
    `${THEIRS}
     delete from idempotency_keys where brand_id = $1 and (profile_id = any(array(select id from theirs))
       or subscription_id = any(array(select id from subscriptions where brand_id = $1 and profile_id = any($2))))`,
    [brandId, profileIds],
  )
}

type Erased = { readonly brandId: number; readonly profileIds: readonly bigint[]; readonly now: number }

/**
 * Writes the rows in `erasures`. After a recent merge, events may still be under the absorbed profile: that one is
 * erased too.
 */
async function rememberErasures(tx: Db, { brandId, profileIds, now }: Erased): Promise<void> {
  await tx.query(
    `with recursive absorbed as (
       select absorbed_id as id from profile_merges
       where brand_id = $1 and survivor_id = any($2) and state = 'moving'
       union
       select absorbed_id from profile_merges join absorbed on survivor_id = absorbed.id
       where brand_id = $1 and state = 'moving'
     )
     insert into erasures (brand_id, profile_id, asked_at, identifiers, subscription_ids, subscription_names)
     select $1::integer, p.id, $3::timestamptz,
       array(select value from profile_identities as i where i.brand_id = $1 and i.profile_id = p.id
         union select email from profiles where brand_id = $1 and id = p.id and email is not null
         union select mobile from profiles where brand_id = $1 and id = p.id and mobile is not null),
       array(select s.id from subscriptions as s where s.brand_id = $1 and s.profile_id = p.id),
       array(select s.subscription_id from subscriptions as s where s.brand_id = $1 and s.profile_id = p.id)
     from unnest($2::bigint[]) as p (id)
     union all
     select $1, id, $3, '{}', '{}', '{}' from absorbed
     on conflict (brand_id, profile_id) do nothing`,
    [brandId, profileIds, new Date(now)],
  )
}

async function cancelPending(tx: Db, brandId: number, profileIds: readonly bigint[]): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    `select id from notifications
     where brand_id = $1 and state in ('scheduled', 'queued', 'sending') and (profile_id = any($2)
       or subscription_ids[1] = any(array(
         select s.id from subscriptions as s where s.brand_id = $1 and s.profile_id = any($2))))
     order by id for update`,
    [brandId, profileIds],
  )
  if (rows.length === 0) return
  await cancelNotifications(tx, { brandId, ids: rows.map(({ id }) => id) })
}
