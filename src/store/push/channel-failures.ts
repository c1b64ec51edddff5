import type { Db } from '../db.ts'
import type { ChannelRef } from './channels.ts'

/** A channel with the version of its credential; a newer one is left alone. */
export type FailingChannel = ChannelRef & { readonly version: number }

/** Notes that a channel accepts no message at present. Its first failure stays the instant since when it fails. */
export async function saveChannelFailure(
  db: Db,
  { brandId, platform, version, reason }: FailingChannel & { readonly reason: string },
): Promise<void> {
  await db.query(
    `insert into channels (brand_id, platform, facts, version, updated_at, failing_reason, failing_since, failing_at)
     values ($1, $2, '{}', $3, clock_timestamp(), $4, clock_timestamp(), clock_timestamp())
     on conflict (brand_id, platform) do update
     set failing_reason = excluded.failing_reason, failing_at = excluded.failing_at,
       failing_since = coalesce(channels.failing_since, excluded.failing_since)
     where channels.version = excluded.version`,
    [brandId, platform, version, reason],
  )
}

/** The channel has accepted a message. */
export async function clearChannelFailure(
  db: Db,
  { brandId, platform, version }: FailingChannel,
): Promise<void> {
  await db.query(
    `update channels set failing_reason = null, failing_since = null, failing_at = null
     where brand_id = $1 and platform = $2 and version = $3 and failing_reason is not null`,
    [brandId, platform, version],
  )
}
