import type { JsonObject } from '../domain/json.ts'
import { localDay } from '../domain/local-day.ts'
import type { Content } from '../domain/message.ts'
import { isPersonal } from '../domain/personalise.ts'
import type { Filter } from '../domain/segment.ts'
import { FREQUENCY_REASON } from '../rules/frequency.ts'
import type { Platform } from '../rules/platforms.ts'
import { loadFilter } from './audience.ts'
import { type AudienceQuery, audienceSql } from './audience-sql.ts'
import { Binds } from './bind.ts'
import type { ChunkRef } from './chunks.ts'
import type { Db } from './db.ts'
import { takeFrequency } from './frequency.ts'
import { loadMoment } from './planning.ts'
import { settleChunk } from './settle.ts'
import { tallySql } from './tally-sql.ts'

/** A subscription that a chunk is for, with all that rendering and sending need. */
export type Recipient = {
  readonly id: bigint
  readonly subscriptionId: string
  readonly address: string
  readonly webP256dh: string | null
  readonly webAuth: string | null
  readonly vapidKeyId: string | null
  readonly environment: 'production' | 'sandbox' | null
  readonly language: string | null
  readonly timeZone: string | null
  readonly browser: string | null
  readonly appVersion: string | null
  readonly tags: readonly string[]
  readonly createdAt: number
  readonly registeredAt: number
  /** Why it is not sent to any more, though it was listed: it left, or somebody else uses the device now. */
  readonly absence: 'unsubscribed' | 'moved' | null
  /** The person's attributes, when the text speaks of them; null also when nobody is logged in there. */
  readonly user: Readonly<Record<string, unknown>> | null
}

/** What a worker holds in its hands once a claimed chunk is opened. */
export type OpenChunk = {
  readonly platform: Platform
  readonly content: Content
  readonly notificationId: bigint | null
  /** The attributes of the event that the text may speak of, when a journey sends it. */
  readonly event: JsonObject | null
  readonly perSecond: number | null
  readonly attempt: number
  /** Nothing of it may be handed over any more: end the chunk. */
  readonly isCancelled: boolean
  readonly recipients: readonly Recipient[]
}

/**
 * Looks up who a claimed chunk is for, as of now, without those who have an outcome already. The audience is corrected
 * by how many that are more or fewer than was planned; a chunk that is for nobody any more is gone. Null: it was lost.
 * Run it in a transaction of the engine.
 */
export async function openChunk(tx: Db, ref: ChunkRef): Promise<OpenChunk | null> {
  const chunk = await lockChunk(tx, ref)
  if (chunk === null) return null
  const { platform, content, notificationId, event, perSecond, attempt } = chunk
  const opened = { platform, content, notificationId, event, perSecond, attempt }
  if (chunk.state === 'cancelled') return { ...opened, isCancelled: true, recipients: [] }

  const recipients = await loadRecipients(tx, ref, chunk)
  if (recipients.length !== chunk.remaining || chunk.state === 'queued') {
    await correctChunk(tx, ref, recipients.length)
  }
  if (chunk.cap === null) return { ...opened, isCancelled: false, recipients }
  const left = await leaveOutCapped(tx, ref, { ...chunk, cap: chunk.cap, recipients })
  return { ...opened, isCancelled: false, recipients: left }
}

/** Settles those who had enough for the day, and gives the others. */
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
  providerMessageId: null,
  retryAt: null,
} as const

/** The first of an audience, or of the listed ones, with their person: what a dry run is rendered for. */
export async function loadSampleRecipient(
  db: Db,
  query: AudienceQuery,
  ids: readonly bigint[] | null,
): Promise<Recipient | null> {
  const binds = new Binds()
  const listed = ids === null ? '' : `and s.id = any(${binds.add(ids)}::bigint[])`
  const { rows } = await db.query<Recipient>(
    `select ${COLUMNS}, ${PRESENT}, ${USER} as user from subscriptions as s
     where ${audienceSql(query, binds)} ${listed} order by s.id limit 1`,
    binds.values,
  )
  return rows[0] ?? null
}

/** One subscription as a chunk would have it, by the id its brand knows. Null when there is none on the platform. */
export async function loadRecipient(
  db: Db,
  { brandId, platform, subscriptionId }: RecipientRef,
): Promise<Recipient | null> {
  const { rows } = await db.query<Recipient>(
    `select ${COLUMNS}, ${PRESENT}, null::jsonb as user from subscriptions as s
     where s.brand_id = $1 and s.platform = $2 and s.subscription_id = $3`,
    [brandId, platform, subscriptionId],
  )
  return rows[0] ?? null
}

export type RecipientRef = {
  readonly brandId: number
  readonly platform: Platform
  readonly subscriptionId: string
}

type LockedChunk = Omit<OpenChunk, 'isCancelled' | 'recipients'> & {
  readonly notification: string
  readonly firstId: bigint
  readonly lastId: bigint
  readonly isListed: boolean
  readonly zone: string | null
  readonly remaining: number
  readonly state: string
  readonly segmentId: bigint | null
  readonly tag: string | null
  /** Whom it is for, when it is for one person. */
  readonly profileId: bigint | null
  readonly brandZone: string
  /** How many notifications a person may get on one day, if that holds for this one. */
  readonly cap: number | null
}

async function lockChunk(tx: Db, { brandId, id, claims }: ChunkRef): Promise<LockedChunk | null> {
  const { rows } = await tx.query<LockedChunk>(
    `select n.platform, n.content, n.notification_id as "notificationId", n.event, n.per_second as "perSecond", c.attempt,
       n.id as notification, c.first_id as "firstId", c.last_id as "lastId", c.subscription_ids is not null as "isListed",
       c.zone, c.remaining, n.state, n.segment_id as "segmentId", n.tag, n.profile_id as "profileId", brands.time_zone as "brandZone",
       case when n.is_capped then brands.frequency_cap end as cap
     from chunks as c join notifications as n on n.brand_id = c.brand_id and n.id = c.notification_id
     join brands on brands.id = c.brand_id
     where c.brand_id = $1 and c.id = $2 and c.claims = $3 for update of c`,
    [brandId, id, claims],
  )
  return rows[0] ?? null
}

async function loadRecipients(
  tx: Db,
  { brandId, id, claims }: ChunkRef,
  chunk: LockedChunk,
): Promise<readonly Recipient[]> {
  const { segmentId, isListed } = chunk
  const filter = segmentId === null || isListed ? null : await loadFilter(tx, { brandId, segmentId })
  const binds = new Binds()
  const user = isPersonal(chunk.content) ? USER : 'null::jsonb'
  const members = isListed ? listedSql(binds, { brandId, id }) : rangeSql(binds, { brandId, filter }, chunk)
  const absence = isListed ? absenceSql(`${binds.add(chunk.profileId)}::bigint`) : PRESENT
  const isFresh = claims === 1 && chunk.attempt === 1 && chunk.zone === null
  const untried = isFresh ? '' : untriedSql(binds, chunk)
  const { rows } = await tx.query<Recipient>(
    `select ${COLUMNS}, ${absence}, ${user} as user from subscriptions as s
     where ${members} ${untried} order by s.id`,
    binds.values,
  )
  return rows
}

type RangeOf = { readonly brandId: number; readonly filter: Filter | null }

/** Those who were listed by name get an outcome even when they are not live any more. */
function listedSql(binds: Binds, { brandId, id }: Pick<ChunkRef, 'brandId' | 'id'>): string {
  const brand = binds.add(brandId)
  return `s.brand_id = ${brand} and s.id in (
    select unnest(subscription_ids) from chunks where brand_id = ${brand} and id = ${binds.add(id)})`
}

function rangeSql(binds: Binds, { brandId, filter }: RangeOf, chunk: LockedChunk): string {
  const { platform, tag, firstId, lastId, zone, brandZone } = chunk
  const members = audienceSql({ brandId, platform, tag, filter, reach: 'few' }, binds)
  const range = `s.id between ${binds.add(firstId)} and ${binds.add(lastId)}`
  if (zone === null) return `${members} and ${range}`
  return `${members} and ${range} and coalesce(s.time_zone, ${binds.add(brandZone)}) = ${binds.add(zone)}`
}

/** A delivery that waits for this very try has no outcome of it yet. */
function untriedSql(binds: Binds, { notification, attempt }: LockedChunk): string {
  return `and not exists (select from deliveries as d
    where d.brand_id = s.brand_id and d.notification_id = ${binds.add(notification)} and d.subscription_id = s.id
      and (d.state <> 'retrying' or d.attempt >= ${binds.add(attempt)}))`
}

const COLUMNS = `s.id, s.subscription_id as "subscriptionId", s.address, s.web_p256dh as "webP256dh",
  s.web_auth as "webAuth", s.vapid_key_id as "vapidKeyId", s.environment, s.language, s.time_zone as "timeZone",
  s.browser, s.app_version as "appVersion", s.tags, s.created_at as "createdAt",
  s.registered_at as "registeredAt"`

/** `person`: whom the message is for, where it is for one. A device that they no longer use must not show it. */
function absenceSql(person: string): string {
  return `case when s.state <> 'live' then 'unsubscribed'
    when s.profile_id is distinct from coalesce(${person}, s.profile_id) then 'moved' end as absence`
}
const PRESENT = 'null::text as absence'

/** A brand may have an attribute named like one of ours; then it means its own. */
const USER = `(select jsonb_strip_nulls(jsonb_build_object('email', p.email, 'mobile', p.mobile, 'user_id',
    (select min(i.value) from profile_identities as i
     where i.brand_id = p.brand_id and i.profile_id = p.id and i.kind = 'user_id'))) || p.attributes
  from profiles as p where p.brand_id = s.brand_id and p.id = s.profile_id)`

/** Also marks that sending has begun. */
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
