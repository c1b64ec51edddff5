import type { Content } from '../../domain/push/message.ts'
import { isPersonal } from '../../domain/push/personalise.ts'
import type { Filter } from '../../domain/segments/segment.ts'
import type { Platform } from '../../rules/platforms.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { loadFilter } from './audience.ts'
import { type AudienceQuery, audienceSql } from './audience-sql.ts'
import type { ChunkRef } from './chunks.ts'

/** A subscription of a chunk, with everything that rendering and sending need. */
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
  /** Why a listed subscription is not sent to: it unsubscribed, or another person uses the device now. */
  readonly absence: 'unsubscribed' | 'moved' | null
  /** The person's attributes, when the text mentions them; null also when the device has no person. */
  readonly user: Readonly<Record<string, unknown>> | null
}

/** The recipients of a chunk: the members within a range of ids, or listed subscriptions. */
export type ChunkAudience = {
  readonly platform: Platform
  readonly content: Content
  /** The notification that the chunk is a part of. */
  readonly notification: string
  readonly attempt: number
  readonly firstId: bigint
  readonly lastId: bigint
  readonly isListed: boolean
  readonly zone: string | null
  readonly brandZone: string
  readonly segmentId: bigint | null
  readonly tag: string | null
  /** The person, when the notification is for one person and not for one device. */
  readonly profileId: bigint | null
}

/** The recipients of a chunk, as of now, without those that have an outcome of this attempt already. */
export async function loadRecipients(
  tx: Db,
  { brandId, id, claims }: ChunkRef,
  chunk: ChunkAudience,
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

/** The first member of an audience, or of a list, with its person: a dry run is rendered for it. */
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

/** One subscription in the form of a recipient, by its public id. Null when there is none on the platform. */
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

type RangeOf = { readonly brandId: number; readonly filter: Filter | null }

/** Listed subscriptions get an outcome even when they are not live any more. */
function listedSql(binds: Binds, { brandId, id }: Pick<ChunkRef, 'brandId' | 'id'>): string {
  const brand = binds.add(brandId)
  return `s.brand_id = ${brand} and s.id in (
    select unnest(subscription_ids) from chunks where brand_id = ${brand} and id = ${binds.add(id)})`
}

function rangeSql(binds: Binds, { brandId, filter }: RangeOf, chunk: ChunkAudience): string {
  const { platform, tag, firstId, lastId, zone, brandZone } = chunk
  const members = audienceSql({ brandId, platform, tag, filter, reach: 'few' }, binds)
  const range = `s.id between ${binds.add(firstId)} and ${binds.add(lastId)}`
  if (zone === null) return `${members} and ${range}`
  return `${members} and ${range} and coalesce(s.time_zone, ${binds.add(brandZone)}) = ${binds.add(zone)}`
}

/** A delivery that waits for this very attempt has no outcome of it yet. */
function untriedSql(binds: Binds, { notification, attempt }: ChunkAudience): string {
  return `and not exists (select from deliveries as d
    where d.brand_id = s.brand_id and d.notification_id = ${binds.add(notification)} and d.subscription_id = s.id
      and (d.state <> 'retrying' or d.attempt >= ${binds.add(attempt)}))`
}

const COLUMNS = `s.id, s.subscription_id as "subscriptionId", s.address, s.web_p256dh as "webP256dh",
  s.web_auth as "webAuth", s.vapid_key_id as "vapidKeyId", s.environment, s.language, s.time_zone as "timeZone",
  s.browser, s.app_version as "appVersion", s.tags, s.created_at as "createdAt",
  s.registered_at as "registeredAt"`

/** `person` is the person whom the message is for. A device that they no longer use must not show it. */
function absenceSql(person: string): string {
  return `case when s.state <> 'live' then 'unsubscribed'
    when s.profile_id is distinct from coalesce(${person}, s.profile_id) then 'moved' end as absence`
}
const PRESENT = 'null::text as absence'

/** The person's attributes for templates. An attribute of the brand goes before ours of the same name. */
const USER = `(select jsonb_strip_nulls(jsonb_build_object('email', p.email, 'mobile', p.mobile, 'user_id',
    (select min(i.value) from profile_identities as i
     where i.brand_id = p.brand_id and i.profile_id = p.id and i.kind = 'user_id'))) || p.attributes
  from profiles as p where p.brand_id = s.brand_id and p.id = s.profile_id)`
