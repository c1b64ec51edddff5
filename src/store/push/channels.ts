import type { ChannelTroubles } from '../../domain/push/channel-health.ts'
import { encodeJson } from '../../domain/values/json.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { Db } from '../db.ts'

export type ChannelRef = { readonly brandId: number; readonly platform: Platform }

/** A brand's channel as it may be shown: the facts of its credential, and whether it is paused. */
export type ChannelRecord = ChannelTroubles & {
  /** The part of the credential that may be read back; empty while the brand has no credential of its own. */
  readonly facts: Readonly<Record<string, unknown>>
  /** Rises with every change of the credential; 0 while there is none. */
  readonly version: number
  readonly updatedAt: number
  /** Whether `retryAt` is in the future, by the database's clock. */
  readonly isBeforeRetry: boolean
}

/** The key of a channel's credential in sealed_secrets. */
export function channelSecret({ brandId, platform }: ChannelRef) {
  return { brandId, kind: `channel ${platform}` }
}

export async function loadChannel(db: Db, { brandId, platform }: ChannelRef): Promise<ChannelRecord | null> {
  const { rows } = await db.query<ChannelRecord>(
    `select facts, version, updated_at as "updatedAt", paused_reason as "pausedReason",
       paused_since as "pausedSince", retry_at as "retryAt",
       coalesce(retry_at > clock_timestamp(), false) as "isBeforeRetry", refused_hosts as "refusedHosts",
       failing_reason as "failingReason", failing_since as "failingSince", failing_at as "failingAt"
     from channels where brand_id = $1 and platform = $2`,
    [brandId, platform],
  )
  return rows[0] ?? null
}

/** Locks the channel until the transaction ends, with a credential or without, so that two changes follow each other. */
export async function lockChannel(tx: Db, { brandId, platform }: ChannelRef): Promise<void> {
  await tx.query(
    `insert into channels (brand_id, platform, facts, version, updated_at) values ($1, $2, '{}', 0, clock_timestamp())
     on conflict (brand_id, platform) do nothing`,
    [brandId, platform],
  )
  await tx.query('select from channels where brand_id = $1 and platform = $2 for update', [brandId, platform])
}

/** Deletes the brand's own credential. */
export async function deleteChannel(tx: Db, { brandId, platform }: ChannelRef): Promise<void> {
  await tx.query('delete from channels where brand_id = $1 and platform = $2', [brandId, platform])
}

export type ChannelChange = ChannelRef & {
  readonly facts: Readonly<Record<string, unknown>>
  readonly now: number
}

/** Saves a new credential's facts, and ends a pause of the old one. Save the secret in the same transaction. */
export async function saveChannel(tx: Db, { brandId, platform, facts, now }: ChannelChange): Promise<void> {
  await tx.query(
    `insert into channels (brand_id, platform, facts, updated_at) values ($1, $2, $3, $4)
     on conflict (brand_id, platform) do update
     set facts = excluded.facts, version = channels.version + 1, updated_at = excluded.updated_at,
       paused_reason = null, paused_since = null, retry_at = null, refused_hosts = '[]',
       failing_reason = null, failing_since = null, failing_at = null`,
    [brandId, platform, encodeJson(facts), new Date(now)],
  )
}

export type ChannelPause = ChannelRef & {
  /** The version of the credential that was found bad; a newer one is left alone. */
  readonly version: number
  readonly reason: string
  readonly pauseMs: number
}

export async function pauseChannel(db: Db, pause: ChannelPause): Promise<void> {
  const { brandId, platform, version, reason, pauseMs } = pause
  await db.query(
    `insert into channels (brand_id, platform, facts, version, updated_at, paused_reason, paused_since, retry_at)
     values ($1, $2, '{}', $3, clock_timestamp(), $4, clock_timestamp(),
       clock_timestamp() + $5 * interval '1 millisecond')
     on conflict (brand_id, platform) do update
     set paused_reason = excluded.paused_reason, retry_at = excluded.retry_at,
       paused_since = coalesce(channels.paused_since, excluded.paused_since)
     where channels.version = excluded.version`,
    [brandId, platform, version, reason, pauseMs],
  )
}

/** Ends the pause of a channel after an accepted message. */
export async function resumeChannel(
  db: Db,
  { brandId, platform, version }: ChannelRef & { readonly version: number },
): Promise<void> {
  await db.query(
    `update channels set paused_reason = null, paused_since = null, retry_at = null
     where brand_id = $1 and platform = $2 and version = $3 and paused_reason is not null`,
    [brandId, platform, version],
  )
}

/** Ends a pause for this reason, and takes the push hosts with this reason off the list. */
export async function endBrake(tx: Db, { brandId, platform }: ChannelRef, reason: string): Promise<void> {
  await tx.query(
    `update channels set paused_reason = null, paused_since = null, retry_at = null
     where brand_id = $1 and platform = $2 and paused_reason = $3`,
    [brandId, platform, reason],
  )
  await tx.query(
    `update channels set refused_hosts = coalesce((
       select jsonb_agg(host) from jsonb_array_elements(refused_hosts) as host where host ->> 'reason' <> $3), '[]')
     where brand_id = $1 and platform = $2`,
    [brandId, platform, reason],
  )
}

/** The number of paused channels of all brands, for the operator's metrics. */
export async function countPausedChannels(db: Db): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::integer as count from channels where paused_reason is not null',
  )
  return rows[0]?.count ?? 0
}
