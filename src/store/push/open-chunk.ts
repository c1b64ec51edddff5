import type { Content } from '../../domain/push/message.ts'
import type { JsonObject } from '../../domain/values/json.ts'
import { localDay } from '../../domain/values/time-zone.ts'
import type { Platform } from '../../rules/platforms.ts'
import { FREQUENCY_REASON } from '../../rules/push.ts'
import type { Db } from '../db.ts'
import type { ChunkRef } from './chunks.ts'
import { takeFrequency } from './frequency.ts'
import { loadMoment } from './planning.ts'
import { type ChunkAudience, loadRecipients, type Recipient } from './recipients.ts'
import { settleChunk } from './settle.ts'
import { tallySql } from './tally-sql.ts'

/** A claimed chunk with its message and its recipients. */
export type OpenChunk = {
  readonly platform: Platform
  readonly content: Content
  readonly callerNotificationId: bigint | null
  /** The attributes of the event that the text may mention, when a journey sends it. */
  readonly event: JsonObject | null
  readonly perSecond: number | null
  readonly attempt: number
  /** How many attempts at its recipients had an outcome that nobody knows. */
  readonly unknowns: number
  /** Whether the notification is cancelled: nothing more may be sent, and the chunk is to be ended. */
  readonly isCancelled: boolean
  readonly recipients: readonly Recipient[]
}

/**
 * Looks up the recipients of a claimed chunk, as of now, without those that have an outcome already. The audience is
 * corrected by the difference to the planned number; a chunk without recipients is deleted. Null when the claim was
 * lost. Run it in a transaction of the engine.
 */
export async function openChunk(tx: Db, ref: ChunkRef): Promise<OpenChunk | null> {
  const chunk = await lockChunk(tx, ref)
  if (chunk === null) return null
  const { platform, content, callerNotificationId, event, perSecond, attempt, unknowns } = chunk
  const opened = { platform, content, callerNotificationId, event, perSecond, attempt, unknowns }
  if (chunk.state === 'cancelled') return { ...opened, isCancelled: true, recipients: [] }

  const recipients = await loadRecipients(tx, ref, chunk)
  if (recipients.length !== chunk.remaining || chunk.state === 'queued') {
    await correctChunk(tx, ref, recipients.length)
  }
  if (chunk.cap === null) return { ...opened, isCancelled: false, recipients }
  const left = await leaveOutCapped(tx, ref, { ...chunk, cap: chunk.cap, recipients })
  return { ...opened, isCancelled: false, recipients: left }
}

/** Settles the recipients who have reached the frequency cap, and gives the others. */
async function leaveOutCapped(
  tx: Db,
  ref: ChunkRef,
  chunk: LockedChunk & { readonly cap: number; readonly recipients: readonly Recipient[] },
): Promise<readonly Recipient[]> {
  const { recipients, notification, cap, brandZone } = chunk
  const ids = recipients.map(({ id }) => id)
  const day = localDay(brandZone, await loadMoment(tx))
  const capped = await takeFrequency(tx, { brandId: ref.brandId, notification, cap, day, ids })
  if (capped.size === 0) return recipients
  const outcomes = [...capped].map((recipientId) => ({ recipientId, ...CAPPED }))
  await settleChunk(tx, ref, { outcomes, textsCut: 0 })
  return recipients.filter(({ id }) => !capped.has(id))
}

const CAPPED = {
  state: 'cancelled',
  reason: FREQUENCY_REASON,
  retryAt: null,
  unknowns: 0,
} as const

type LockedChunk = Omit<OpenChunk, 'isCancelled' | 'recipients'> &
  ChunkAudience & {
    readonly remaining: number
    readonly state: string
    /** The frequency cap of a person for one day, if it applies to this notification. */
    readonly cap: number | null
  }

async function lockChunk(tx: Db, { brandId, id, claims }: ChunkRef): Promise<LockedChunk | null> {
  const { rows } = await tx.query<LockedChunk>(
    `select n.platform, n.content, n.caller_notification_id as "callerNotificationId", n.event,
       n.per_second as "perSecond", c.attempt, c.unknowns, n.id as notification, c.first_id as "firstId",
       c.last_id as "lastId",
       c.subscription_ids is not null as "isListed", c.zone, c.remaining, n.state, n.segment_id as "segmentId", n.tag,
       case when n.subscription_ids is null then n.profile_id end as "profileId", brands.time_zone as "brandZone",
       case when n.is_capped then brands.frequency_cap end as cap
     from chunks as c join notifications as n on n.brand_id = c.brand_id and n.id = c.notification_id
     join brands on brands.id = c.brand_id and brands.deleted_at is null
     where c.brand_id = $1 and c.id = $2 and c.claims = $3 for update of c`,
    [brandId, id, claims],
  )
  return rows[0] ?? null
}

/** Corrects the counts, and marks the notification as `sending`. */
async function correctChunk(tx: Db, { brandId, id }: ChunkRef, found: number): Promise<void> {
  await tx.query(
    `with planned as (
       select brand_id, id, notification_id, remaining from chunks where brand_id = $1 and id = $2
     ), ended as (
       delete from chunks where brand_id = $1 and id = $2 and $3 = 0
     ), resized as (
       update chunks set remaining = $3 where brand_id = $1 and id = $2 and $3 > 0
     )
     ${tallySql('planned', { correction: '$3 - remaining' })}`,
    [brandId, id, found],
  )
  await tx.query(
    `update notifications set state = 'sending'
     where brand_id = $1 and state = 'queued'
       and id = (select notification_id from chunks where brand_id = $1 and id = $2)`,
    [brandId, id],
  )
}
