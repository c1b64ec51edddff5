import type { Member } from '../../src/domain/segment.ts'
import type { Db } from '../../src/store/db.ts'
import type { Person } from './segments.ts'

/**
 * Stores people with their devices, and gives what a filter sees of each live device, by its subscription id, in the
 * order of the rows. A name that two of them want belongs to the first. Who has no name has no profile.
 */
export async function savePeople(
  db: Db,
  brandId: number,
  people: readonly Person[],
): Promise<ReadonlyMap<string, Member>> {
  const taken = new Set<string>()
  const members = new Map<string, Member>()
  for (const [at, person] of people.entries()) {
    const userIds = person.userIds.filter((userId) => !taken.has(userId))
    for (const userId of userIds) taken.add(userId)
    const profileId = userIds.length === 0 ? null : await saveProfile(db, brandId, { ...person, userIds })
    for (const [place, device] of person.devices.entries()) {
      const subscriptionId = `${at}-${place}`
      await db.query(
        `insert into subscriptions (brand_id, subscription_id, platform, address, address_hash, profile_id, tags,
           state, state_since, created_at, registered_at, updated_at)
         values ($1, $2, 'android', $2, sha256($2::text::bytea), $3, $4, $5, now(), now(), now(), now())`,
        [brandId, subscriptionId, profileId, device.tags, device.isLive ? 'live' : 'gone'],
      )
      const tags = [...device.tags, ...(profileId === null ? [] : person.tags)]
      if (device.isLive) members.set(subscriptionId, { userIds, tags })
    }
  }
  return members
}

async function saveProfile(db: Db, brandId: number, { userIds, tags }: Person): Promise<bigint | undefined> {
  const { rows } = await db.query<{ id: bigint }>(
    `with made as (
       insert into profiles (brand_id, tags, created_at, updated_at) values ($1, $2, now(), now()) returning id
     ), named as (
       insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
       select $1, 'user_id', value, id, now() from made, unnest($3::text[]) as value
     )
     select id from made`,
    [brandId, tags, userIds],
  )
  return rows[0]?.id
}
