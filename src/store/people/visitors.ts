import { visitorName } from '../../domain/people/identifiers.ts'
import type { Db } from '../db.ts'
import { lockIdentities, settleIdentities } from './identities.ts'
import { makeProfiles } from './profile-making.ts'

export type VisitorRef = { readonly brandId: number; readonly visitorId: string }

/**
 * The creation time of the browser's profile; null if it has none. Every call asks this, so it takes one trip and no
 * lock.
 */
export async function visitorSince(db: Db, { brandId, visitorId }: VisitorRef): Promise<number | null> {
  const { rows } = await db.query<{ createdAt: number }>(SINCE, [brandId, visitorId])
  return rows[0]?.createdAt ?? null
}

const SINCE = {
  name: 'visitor_since',
  text: `select profile_created_at as "createdAt" from profile_identities
    where brand_id = $1 and kind = 'visitor' and value = $2`,
}

/** Makes the browser's profile if it has none. The profile begins with the first event that the browser reports. */
export async function ensureVisitor(
  tx: Db,
  { brandId, visitorId, createdAt }: VisitorRef & { readonly createdAt: number },
): Promise<void> {
  if ((await visitorSince(tx, { brandId, visitorId })) !== null) return
  await makeProfiles(tx, { brandId, kind: 'visitor', values: [visitorId], createdAt })
}

export type Join = VisitorRef & {
  readonly userId: string
  /** Whether the page has shown the signature of the user id. */
  readonly isProved: boolean
  readonly now: number
}

/**
 * Makes the browser's profile and the person's one. `taken`: the browser already belongs to another person. A page never
 * merges two known people, so nothing is changed then.
 */
export async function joinVisitor(tx: Db, join: Join): Promise<'joined' | 'taken'> {
  const { brandId, visitorId, userId, now } = join
  // A page names its user on every visit; a browser that already belongs to that person takes no lock.
  if ((await loadOwners(tx, join)).includes(userId)) return 'joined'
  await lockIdentities(tx, brandId)
  const owners = await loadOwners(tx, join)
  if (owners.includes(userId)) return 'joined'
  if (owners.length > 0) return 'taken'
  if (!join.isProved) await joinEvenly(tx, join)
  const person = { ...visitorName(visitorId), userId }
  await settleIdentities(tx, { brandId, people: [person], now, createdAt: now })
  return 'joined'
}

/**
 * Joins a browser and a user with the same statements whether the user is known or not, so that the time of a login
 * without proof does not tell which. A user who is not known is made, merged and taken back, and then only named.
 */
async function joinEvenly(tx: Db, join: Join): Promise<void> {
  const { brandId, visitorId, userId, now } = join
  const person = { ...visitorName(visitorId), userId }
  await tx.query('savepoint made')
  // A person who was made before the browser survives the merge, as most known people do.
  const made = await makeProfiles(tx, { brandId, kind: 'user_id', values: [userId], createdAt: 0 })
  await settleIdentities(tx, { brandId, people: [person], now, createdAt: now })
  await tx.query(made > 0 ? 'rollback to savepoint made' : 'release savepoint made')
  await tx.query(
    `insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
     select brand_id, 'user_id', $3, profile_id, profile_created_at from profile_identities
     where brand_id = $1 and kind = 'visitor' and value = $2
     on conflict (brand_id, kind, value) do nothing`,
    [brandId, visitorId, userId],
  )
}

/** Remembers that the browser showed the signature of its user id. */
export async function proveVisitor(tx: Db, { brandId, visitorId }: VisitorRef): Promise<void> {
  await tx.query(
    `update profile_identities set is_proved = true
     where brand_id = $1 and kind = 'visitor' and value = $2 and not is_proved`,
    [brandId, visitorId],
  )
}

/** The user ids of the profile that the browser belongs to. */
async function loadOwners(tx: Db, { brandId, visitorId }: VisitorRef): Promise<readonly string[]> {
  const { rows } = await tx.query<{ userId: string }>(
    `select owner.value as "userId" from profile_identities as browser
     join profile_identities as owner
       on owner.brand_id = browser.brand_id and owner.profile_id = browser.profile_id and owner.kind = 'user_id'
     where browser.brand_id = $1 and browser.kind = 'visitor' and browser.value = $2`,
    [brandId, visitorId],
  )
  return rows.map(({ userId }) => userId)
}

/** Separates the browser from its person. Later calls with the same visitor token cannot add to that person. */
export async function leaveVisitor(tx: Db, { brandId, visitorId }: VisitorRef): Promise<void> {
  if ((await loadOwners(tx, { brandId, visitorId })).length === 0) return
  await lockIdentities(tx, brandId)
  await tx.query(
    `delete from profile_identities as browser
     where brand_id = $1 and kind = 'visitor' and value = $2 and exists (
       select from profile_identities as owner
       where owner.brand_id = $1 and owner.profile_id = browser.profile_id and owner.kind = 'user_id')`,
    [brandId, visitorId],
  )
}

export type VisitorDevice = VisitorRef & { readonly endpoint: string; readonly now: number }

/** Moves a browser's subscription to the profile that the browser belongs to now, and notes whether that is proved. */
export async function moveDevice(
  tx: Db,
  { brandId, visitorId, endpoint, now }: VisitorDevice,
): Promise<void> {
  const { rows } = await tx.query<{ profileId: bigint; isProved: boolean }>(
    `select profiles.id as "profileId", is_proved as "isProved"
     from profile_identities as i join profiles on profiles.brand_id = $1 and profiles.id = i.profile_id
     where i.brand_id = $1 and kind = 'visitor' and value = $2 for key share of profiles`,
    [brandId, visitorId],
  )
  const [owner] = rows
  if (owner === undefined) return
  await tx.query(
    `update subscriptions set profile_id = $3, is_unproved = $5, updated_at = $4
     where brand_id = $1 and platform = 'web' and address_hash = sha256(convert_to($2, 'UTF8'))
       and (profile_id, is_unproved) is distinct from ($3, $5)`,
    [brandId, endpoint, owner.profileId, new Date(now), !owner.isProved],
  )
}

/** Stops pushes to an endpoint. Only the browser itself knows the endpoint, so knowing it is proof enough. */
export async function dropDevice(
  tx: Db,
  { brandId, endpoint, reason, now }: Omit<VisitorDevice, 'visitorId'> & { readonly reason: string },
): Promise<void> {
  await tx.query(
    `update subscriptions set state = 'unsubscribed', state_reason = $3, state_since = $4, updated_at = $4
     where brand_id = $1 and platform = 'web' and address_hash = sha256(convert_to($2, 'UTF8'))
       and state = 'live'`,
    [brandId, endpoint, reason, new Date(now)],
  )
}
