import type { Db } from '../db.ts'
import { lockIdentities } from './identities.ts'

/**
 * Whether browsers of the brand must prove their user ids. The row stays locked until the transaction ends, so a brand
 * that switches the setting on waits for logins under way, and then finds them.
 */
export async function loadIdentityVerification(tx: Db, brandId: number): Promise<boolean> {
  const { rows } = await tx.query<{ isOn: boolean }>(
    'select identity_verification as "isOn" from brands where id = $1 for share',
    [brandId],
  )
  return rows[0]?.isOn ?? true
}

/**
 * Detaches browsers that claimed a user id without proof: their subscriptions belong to nobody, and their visitor tokens
 * name nobody. They come back with their next login that is proved. Gives the number of subscriptions. A large brand may
 * have a million of them, so the statements get more time than those of a request.
 */
export async function detachUnproved(
  tx: Db,
  { brandId, now }: { readonly brandId: number; readonly now: number },
): Promise<number> {
  await tx.query("set local statement_timeout = '5min'")
  await lockIdentities(tx, brandId)
  const { count } = await tx.query(
    `update subscriptions as s set profile_id = null, updated_at = $2
     where brand_id = $1 and is_unproved and exists (select from profile_identities as owner
       where owner.brand_id = $1 and owner.profile_id = s.profile_id and owner.kind = 'user_id')`,
    [brandId, new Date(now)],
  )
  await tx.query(
    `delete from profile_identities as browser
     where brand_id = $1 and kind = 'visitor' and not is_proved and exists (select from profile_identities as owner
       where owner.brand_id = $1 and owner.profile_id = browser.profile_id and owner.kind = 'user_id')`,
    [brandId],
  )
  return count
}
