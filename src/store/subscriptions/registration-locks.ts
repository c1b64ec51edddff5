import { addressOf, type KnownDevice, keysOf } from '../../domain/subscriptions/registration-plan.ts'
import type { Registration } from '../../domain/subscriptions/subscription.ts'
import type { Db } from '../db.ts'

/** Registrations that are about to be stored, and their brand. */
export type Named = { readonly brandId: number; readonly registrations: readonly Registration[] }

/**
 * Locks the names of registrations. A few names are locked one by one; a long list locks all registrations of the
 * brand.
 */
export async function lockNames(tx: Db, { brandId, registrations }: Named): Promise<void> {
  const names = registrations.flatMap(keysOf)
  if (names.length > NAMES_LOCKED_MAX) {
    await tx.query(`select pg_advisory_xact_lock(${BRAND_LOCK})`, [brandId])
    return
  }
  await tx.query(
    `with brand as materialized (select pg_advisory_xact_lock_shared(${BRAND_LOCK}))
     select pg_advisory_xact_lock(name)
     from brand, (
       select distinct hashtextextended(name, $1) as name from unnest($2::text[]) as given (name) order by name
     ) as names`,
    [brandId, names],
  )
}

/** The most names that are locked one by one: the server's lock table is small, and shared by all. */
const NAMES_LOCKED_MAX = 16
const BRAND_LOCK = `hashtextextended('registrations', $1)`

/** The rows that any of the registrations names, locked in order, and read after the locks. */
export async function lockDevices(tx: Db, named: Named): Promise<readonly KnownDevice[]> {
  const ids = await findDevices(tx, named)
  if (ids.length === 0) return []
  const { rows } = await tx.query<KnownDevice>(
    `select id, subscription_id as "subscriptionId", platform, address, device_id as "deviceId",
       is_virtual as "isVirtual"
     from subscriptions where brand_id = $1 and id = any($2) order by id for update`,
    [named.brandId, ids],
  )
  return rows
}

/** Looks up each name in its own index: for a long list, a join would read the whole table. */
async function findDevices(tx: Db, { brandId, registrations }: Named): Promise<readonly bigint[]> {
  const { rows } = await tx.query<{ id: bigint }>(
    `select distinct found.id
     from unnest($2::text[], $3::text[], $4::text[], $5::text[])
       as given (platform, address, device_id, subscription_id)
     cross join lateral (
       (select id from subscriptions
        where brand_id = $1 and platform = given.platform
          and address_hash = sha256(convert_to(given.address, 'UTF8')) limit 1)
       union all
       (select id from subscriptions
        where brand_id = $1 and platform = given.platform and device_id = given.device_id limit 1)
       union all
       (select id from subscriptions
        where brand_id = $1 and subscription_id = given.subscription_id limit 1)
     ) as found`,
    [
      brandId,
      registrations.map(({ device }) => device.kind),
      registrations.map(({ device }) => addressOf(device)),
      registrations.map(({ deviceId }) => deviceId),
      registrations.map(({ subscriptionId }) => subscriptionId),
    ],
  )
  return rows.map(({ id }) => id)
}
