import { GOAL_READER } from '../campaigns/goals.ts'
import type { Db } from '../db.ts'
import { anyEvents, needing } from '../event-needs.ts'
import { takeReader } from '../events/readers.ts'
import { isPackedSql, placeSql } from '../push/delivery-sql.ts'

export type Erasing = { readonly brandId: number; readonly profileId: bigint }

/**
 * Deletes the traces of an erased profile, at most `rowsMax` events at a time, and returns whether that was all. A
 * kill in between does no harm: the row in `erasures` stays until the end. The caller has locked the counting reader,
 * so that no event of this person is counted any more.
 */
export async function eraseTraces(
  tx: Db,
  { brandId, profileId }: Erasing,
  rowsMax: number,
): Promise<boolean> {
  const { count } = await tx.query(
    `with part as (
       select id from events where brand_id = $1 and profile_id = $2 limit $3
     ), gone as (
       delete from events using part where events.brand_id = $1 and events.id = part.id returning event_id, is_from_browser
     ), ids as (
       delete from event_ids as i using gone
       where i.brand_id = $1 and i.event_id = gone.event_id and (i.source <> '') = gone.is_from_browser
     )
     select from gone`,
    needing([brandId, profileId, rowsMax], { ...anyEvents(brandId), people: [profileId], use: 'write' }),
  )
  if (count === rowsMax) return false
  await eraseNotifications(tx, { brandId, profileId })
  await tx.query(
    `delete from receipts using erasures as e
     where receipts.brand_id = $1 and e.brand_id = $1 and e.profile_id = $2
       and receipts.subscription_id = any(e.subscription_ids)`,
    [brandId, profileId],
  )
  await unpackDevices(tx, { brandId, profileId })
  await takeReader(tx, { brandId, reader: GOAL_READER })
  await unpackCampaigns(tx, { brandId, profileId })
  for (const table of [
    'profile_event_counters',
    'profile_activity',
    'webhook_messages',
    'enrolments',
    'journey_members',
    'frequency_days',
    'campaign_people',
    'goal_people',
    'conversions',
    'goal_recounts',
    'active_weeks',
  ]) {
    await tx.query(`delete from ${table} where brand_id = $1 and profile_id = $2`, [brandId, profileId])
  }
  await tx.query(
    `delete from webhook_messages as m using erasures as e
     where m.brand_id = $1 and e.brand_id = $1 and e.profile_id = $2
       and m.profile_id is null and m.data ->> 'subscription_id' = any(e.subscription_names)`,
    [brandId, profileId],
  )
  await tx.query(
    `delete from rejected_entries using erasures as e
     where rejected_entries.brand_id = $1 and e.brand_id = $1 and e.profile_id = $2
       and rejected_entries.identifiers && e.identifiers and rejected_at <= e.asked_at`,
    [brandId, profileId],
  )
  await eraseCampaigns(tx, { brandId, profileId })
  await tx.query('delete from erasures where brand_id = $1 and profile_id = $2', [brandId, profileId])
  return true
}

/** Deletes the notifications to the person, and those to a device that the person had when they were erased. */
async function eraseNotifications(tx: Db, { brandId, profileId }: Erasing): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    `select id from notifications where brand_id = $1 and profile_id = $2
     union
     select n.id from erasures as e join notifications as n
       on n.brand_id = e.brand_id and n.subscription_ids[1] = any(e.subscription_ids)
     where e.brand_id = $1 and e.profile_id = $2`,
    [brandId, profileId],
  )
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  for (const table of ['receipts', 'receipt_counts', 'deliveries', 'accepted_blocks', 'chunks']) {
    await tx.query(`delete from ${table} where brand_id = $1 and notification_id = any($2)`, [brandId, ids])
  }
  await tx.query('delete from notifications where brand_id = $1 and id = any($2)', [brandId, ids])
}

/**
 * Clears the bits of the person's devices, one device after the other, because two may be in one row. Counts and figures
 * stay, as they name nobody.
 */
async function unpackDevices(tx: Db, { brandId, profileId }: Erasing): Promise<void> {
  const { rows } = await tx.query<{ id: bigint }>(
    'select unnest(subscription_ids) as id from erasures where brand_id = $1 and profile_id = $2',
    [brandId, profileId],
  )
  for (const { id } of rows) {
    await tx.query(
      `update accepted_blocks as packed set bits = set_bit(bits, ${placeSql('$2::bigint')}, 0)
       where packed.brand_id = $1 and ${isPackedSql('$2::bigint')}`,
      [brandId, id],
    )
  }
}

/** Makes rows of the bits that the person's devices have in campaigns: deleted rows are taken off the figures. */
async function unpackCampaigns(tx: Db, { brandId, profileId }: Erasing): Promise<void> {
  await tx.query(
    'select unpack_devices($1, subscription_ids) from erasures where brand_id = $1 and profile_id = $2',
    [brandId, profileId],
  )
}

/** Takes the person off the lists of campaigns. A device counted as a person of its own until it got one. */
async function eraseCampaigns(tx: Db, { brandId, profileId }: Erasing): Promise<void> {
  await tx.query(
    `delete from campaign_users as u using erasures as e
     where u.brand_id = $1 and e.brand_id = $1 and e.profile_id = $2 and u.user_id = any(e.identifiers)`,
    [brandId, profileId],
  )
  await tx.query(
    `delete from campaign_people as p using erasures as e
     where p.brand_id = $1 and e.brand_id = $1 and e.profile_id = $2
       and p.profile_id = any(array(select -id from unnest(e.subscription_ids) as id))`,
    [brandId, profileId],
  )
}
