import type { Platform } from '../../rules/platforms.ts'
import type { Db } from '../db.ts'

/** A person whom a test send is for, and the platforms on which they have a live device. */
export type TestPerson = {
  readonly userId: string
  readonly profileId: bigint
  readonly platforms: readonly Platform[]
}

/** The known ones of these people. */
export async function loadTestPeople(
  db: Db,
  brandId: number,
  userIds: readonly string[],
): Promise<readonly TestPerson[]> {
  const { rows } = await db.query<TestPerson>(
    `select i.value as "userId", i.profile_id as "profileId", array(
       select distinct s.platform from subscriptions as s
       where s.brand_id = i.brand_id and s.profile_id = i.profile_id and s.state = 'live' order by s.platform
     ) as platforms
     from profile_identities as i where i.brand_id = $1 and i.kind = 'user_id' and i.value = any($2)
     order by i.value`,
    [brandId, userIds],
  )
  return rows
}

/** A live device that a test send is for. */
export type TestDevice = { readonly subscriptionId: string; readonly platform: Platform }

/** The live ones of these devices. */
export async function loadTestDevices(
  db: Db,
  brandId: number,
  subscriptionIds: readonly string[],
): Promise<readonly TestDevice[]> {
  const { rows } = await db.query<TestDevice>(
    `select subscription_id as "subscriptionId", platform from subscriptions
     where brand_id = $1 and subscription_id = any($2) and state = 'live' order by id`,
    [brandId, subscriptionIds],
  )
  return rows
}
