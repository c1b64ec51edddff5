import { addressOf, type Placement } from '../../domain/subscriptions/registration-plan.ts'
import type { Device } from '../../domain/subscriptions/subscription.ts'
import { encodeJson } from '../../domain/values/json.ts'
import type { Db } from '../db.ts'
import { SUBSCRIPTION_FACT, subscriptionFactSql } from '../webhooks/facts.ts'

/** Placements of one round; no two have the same row. */
export type DeviceSave = {
  readonly brandId: number
  readonly now: number
  readonly source: 'device' | 'list'
  readonly placed: readonly Placement[]
  /** The profile of every user id in them. */
  readonly profiles: ReadonlyMap<string, bigint>
}

export type SavedDevice = { readonly at: number; readonly id: bigint }

export async function removeDevices(tx: Db, brandId: number, ids: readonly bigint[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query(
    `with removed as (
       delete from subscriptions as s where brand_id = $1 and id = any($2) returning ${SUBSCRIPTION_FACT}
     )
     ${subscriptionFactSql({ from: 'removed', type: `case fact.state when 'live' then 'subscription.gone' end` })}`,
    [brandId, ids],
  )
}

/**
 * Writes placements that have a row. A field that a registration lacks stays as it was. A list does not say when a
 * device last registered. But `retireSubscriptions` compares that time to tell a new address from the one that a late
 * verdict is about: so a new address from a list moves the time by the smallest step.
 */
export async function updateDevices(tx: Db, save: DeviceSave): Promise<readonly SavedDevice[]> {
  const placed = save.placed.filter(({ id }) => id !== null)
  if (placed.length === 0) return []
  const { rows } = await tx.query<SavedDevice>(
    `with changed as (
     update subscriptions as kept set
       subscription_id = coalesce(given.subscription_id, kept.subscription_id),
       address = given.address, address_hash = sha256(convert_to(given.address, 'UTF8')),
       device_id = coalesce(given.device_id, kept.device_id),
       profile_id = coalesce(given.profile_id, kept.profile_id),
       is_unproved = kept.is_unproved and given.profile_id is null,
       web_p256dh = given.p256dh, web_auth = given.auth,
       vapid_key_id = case when kept.address = given.address then kept.vapid_key_id else ${VAPID_KEY} end,
       environment = coalesce(given.environment, kept.environment),
       tags = coalesce(given.tags, kept.tags),
       time_zone = coalesce(given.time_zone, kept.time_zone),
       language = coalesce(given.language, kept.language),
       browser = coalesce(given.browser, kept.browser),
       app_version = coalesce(given.app_version, kept.app_version),
       state = case when ${REVIVES} then 'live' else kept.state end,
       state_reason = case when ${REVIVES} then null else kept.state_reason end,
       state_since = case when ${REVIVES} and kept.state <> 'live' then $3 else kept.state_since end,
       registered_at = case when $4 then $3
         when kept.address <> given.address then kept.registered_at + interval '1 millisecond'
         else kept.registered_at end,
       updated_at = $3
     from ${GIVEN}
     where kept.brand_id = $1 and kept.id = given.id
     returning given.at, kept.*, old.state as state_before
     ), enqueued as (
       ${subscriptionFactSql({
         from: 'changed',
         type: `case when fact.state = 'live' and fact.state_before <> 'live' then 'subscription.created' end`,
       })}
     )
     select at, id from changed`,
    valuesOf(save, placed),
  )
  return rows
}

/** Writes placements without a row. A device that only a list names has never registered: its time is 0. */
export async function insertDevices(tx: Db, save: DeviceSave): Promise<readonly SavedDevice[]> {
  const placed = save.placed.filter(({ id }) => id === null)
  if (placed.length === 0) return []
  const { rows } = await tx.query<{ platform: string; address: string; id: bigint }>(
    `with fresh as (
     insert into subscriptions as s (brand_id, subscription_id, platform, address, address_hash, device_id, profile_id,
       web_p256dh, web_auth, vapid_key_id, environment, tags, time_zone, language, browser, app_version,
       is_virtual, virtual_kind, virtual_name, state_since, created_at, registered_at, updated_at)
     select $1, coalesce(subscription_id, uuidv7()::text), platform, address,
       sha256(convert_to(address, 'UTF8')), device_id, profile_id,
       p256dh, auth, ${VAPID_KEY}, environment, coalesce(tags, '{}'), time_zone, language, browser, app_version,
       virtual_kind is not null, virtual_kind, virtual_name, $3, $3, case when $4 then $3 else to_timestamp(0) end, $3
     from ${GIVEN} order by at
     returning s.id, s.address, ${SUBSCRIPTION_FACT}
     ), enqueued as (
       ${subscriptionFactSql({ from: 'fresh', type: `'subscription.created'` })}
     )
     select platform, address, id from fresh`,
    valuesOf(save, placed),
  )
  // An insert returns only stored columns, so a row is matched with its placement by its address.
  const places = new Map(placed.map(({ at, registration }) => [nameOf(registration.device), at]))
  return rows.map(({ platform, address, id }) => ({ at: placeOf(places, `${platform} ${address}`), id }))
}

/** A list revives only a device that was gone and has a new address now. */
const REVIVES = `($4 or kept.state = 'gone' and kept.address <> given.address)`

/** A browser is bound to the key that it subscribed with, which is the brand's current one. */
const VAPID_KEY = `case given.platform when 'web' then (
  select facts ->> 'public_key' from channels where channels.brand_id = $1 and channels.platform = 'web') end`

const GIVEN = `jsonb_to_recordset($2) as given (at integer, id bigint, subscription_id text, platform text,
  address text, device_id text, profile_id bigint, p256dh text, auth text,
  environment text, tags text[], time_zone text, language text, browser text, app_version text,
  virtual_kind text, virtual_name text)`

function valuesOf(save: DeviceSave, placed: readonly Placement[]): readonly unknown[] {
  const rows = placed.map((placement) => rowOf(placement, save.profiles))
  return [save.brandId, encodeJson(rows), new Date(save.now), save.source === 'device']
}

function rowOf({ at, id, registration }: Placement, profiles: ReadonlyMap<string, bigint>): object {
  const { device, userId, facts } = registration
  return {
    at,
    id,
    subscription_id: registration.subscriptionId,
    platform: device.kind,
    address: addressOf(device),
    device_id: registration.deviceId,
    profile_id: userId === null ? null : profiles.get(userId),
    p256dh: device.kind === 'web' ? device.p256dh : null,
    auth: device.kind === 'web' ? device.auth : null,
    environment: device.kind === 'ios' ? device.environment : null,
    tags: registration.tags,
    time_zone: facts.timeZone,
    language: facts.language,
    browser: facts.browser,
    app_version: facts.appVersion,
    virtual_kind: registration.virtual?.kind,
    virtual_name: registration.virtual?.name,
  }
}

function nameOf(device: Device): string {
  return `${device.kind} ${addressOf(device)}`
}

function placeOf(places: ReadonlyMap<string, number>, address: string): number {
  const at = places.get(address)
  if (at === undefined) throw new Error('a subscription was stored that nobody registered')
  return at
}
