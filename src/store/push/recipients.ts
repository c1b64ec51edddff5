import type { StoredTrial } from '../../domain/campaigns/trial.ts'
import type { ContentOffer } from '../../domain/push/alternatives.ts'
import type { Content } from '../../domain/push/message.ts'
import { isPersonal } from '../../domain/push/personalise.ts'
import type { Filter } from '../../domain/segments/segment.ts'
import { LANGUAGE_LIMITS } from '../../rules/languages.ts'
import type { Platform } from '../../rules/platforms.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { userIdSql } from '../people/user-id-sql.ts'
import { withFreePlans } from '../plans.ts'
import { loadAudienceFilter } from './audience.ts'
import { type AudienceQuery, audienceSql, type CampaignNarrowing, type VirtualReach } from './audience-sql.ts'
import type { ChunkRef } from './chunks.ts'
import { deliverySql, hasNoneSql, hasNoRowSql } from './delivery-sql.ts'
import { columnsFor, RECIPIENT_COLUMNS, type Recipient, type RecipientRow, recipientOf } from './recipient.ts'
import { withoutAccepted } from './without-accepted.ts'

/** The recipients of a chunk: the members within a range of ids, or listed subscriptions. */
export type ChunkAudience = CampaignNarrowing &
  VirtualReach & {
    readonly platform: Platform
    readonly content: Content
    /** The other contents to choose from; null when there is one content for all. */
    readonly offer: ContentOffer | null
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
    readonly campaignId: bigint | null
    readonly trial: StoredTrial | null
  }

/**
 * The recipients of chunks that list them, as of now, without those that have an outcome of this attempt already. Listed
 * subscriptions get an outcome even when they are not live any more.
 */
export async function loadListed(
  tx: Db,
  chunks: readonly (ChunkRef & ChunkAudience)[],
): Promise<readonly (readonly Recipient[])[]> {
  if (chunks.length === 0) return []
  const { rows } = await tx.query<Recipient & { readonly place: number }>(LISTED, [
    chunks.map(({ brandId }) => brandId),
    chunks.map(({ id }) => id),
    chunks.map(({ notification }) => notification),
    chunks.map(({ attempt }) => attempt),
    chunks.map(({ profileId }) => profileId),
    chunks.map(isFresh),
    chunks.map(needsUser),
    chunks.map(hasLanguages),
  ])
  const found = chunks.map((): Recipient[] => [])
  for (const { place, ...recipient } of rows) found[place - 1]?.push(recipient)
  return found
}

/**
 * The recipients of a chunk that is a range of ids, or that lists the one device of each person, in the same way. Members
 * who have left the audience are no recipients.
 */
export async function loadRange(tx: Db, chunk: ChunkRef & ChunkAudience): Promise<readonly Recipient[]> {
  const { brandId } = chunk
  return withFreePlans(tx, async () => {
    const filter = await loadAudienceFilter(tx, chunk)
    const binds = new Binds()
    const members = rangeSql(binds, { brandId, filter }, chunk)
    const use = { platform: chunk.platform, isPersonal: needsUser(chunk), isByPerson: isByPerson(chunk) }
    const user = use.isPersonal ? `, ${USER} as user` : ''
    const language = hasLanguages(chunk) ? `, ${PERSON_LANGUAGE} as "personLanguage"` : ''
    const untried = isFresh(chunk)
      ? ''
      : `and ${rowlessSql(binds.add(chunk.notification), binds.add(chunk.attempt))}`
    const { rows } = await tx.query<RecipientRow>(
      `select ${columnsFor(use)}${user}${language} from subscriptions as s
       where ${members} ${untried} ${unsentSql(chunk, binds)} ${chosenSql(chunk, binds)} order by s.id`,
      binds.values,
    )
    const found = rows.map(recipientOf)
    const open = isFresh(chunk) ? found : await withoutAccepted(tx, chunk, found)
    return isChosen(chunk) ? onePerPerson(open) : open
  })
}

/** In the second phase of a campaign: a device that got the first one, of a person who was merged since, gets no more. */
function unsentSql({ campaignId, trial, notification }: ChunkAudience, binds: Binds): string {
  if (campaignId === null || trial?.phase.kind !== 'rest') return ''
  const got = deliverySql({ brand: 'other.brand_id', notification: 'other.id', subscription: 's.id' })
  return `and not exists (select from notifications as other cross join lateral (${got}) as d
    where other.brand_id = s.brand_id and other.campaign_id = ${binds.add(campaignId)}
      and other.id <> ${binds.add(notification)} and not other.is_test)`
}

/** Whether a chunk lists the devices that were chosen, one for each person, when their campaign was planned. */
export function isChosen({ isListed, isLatestOnly, attempt }: ChunkAudience): boolean {
  return isListed && isLatestOnly && attempt === 1
}

/** A chosen device of a person who has the message on another one, after a merge or a change of hands, gets none. */
function chosenSql(chunk: ChunkRef & ChunkAudience, binds: Binds): string {
  if (!isChosen(chunk)) return ''
  const { brandId, id, campaignId } = chunk
  const got = deliverySql({ brand: 'n.brand_id', notification: 'n.id', subscription: 'o.id' })
  return `and s.id = any((select subscription_ids from chunks
      where brand_id = ${binds.add(brandId)} and id = ${binds.add(id)})::bigint[])
    and not exists (select from subscriptions as o
      cross join lateral (
        select from notifications as n cross join lateral (${got}) as d
        where n.brand_id = o.brand_id and n.campaign_id = ${binds.add(campaignId)} and not n.is_test
          and d.state in ('accepted', 'retrying') offset 0
      ) as got
      where o.brand_id = s.brand_id and o.profile_id = s.profile_id and o.id <> s.id)`
}

function onePerPerson(recipients: readonly Recipient[]): readonly Recipient[] {
  return [...new Map(recipients.map((recipient) => [recipient.person, recipient])).values()]
}

function needsUser({ content, offer }: ChunkAudience): boolean {
  return offer?.isPersonal ?? isPersonal(content)
}

/** The person decides in a campaign, and where each person gets the message on one device. */
function isByPerson({ campaignId, isLatestOnly }: ChunkAudience): boolean {
  return campaignId !== null || isLatestOnly
}

function hasLanguages({ offer }: ChunkAudience): boolean {
  return offer !== null && offer.languages.length > 0
}

/** Nobody can have an outcome yet. */
function isFresh({ claims, attempt, zone }: ChunkRef & ChunkAudience): boolean {
  return claims === 1 && attempt === 1 && zone === null
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
    `select ${RECIPIENT_COLUMNS}, ${PRESENT}, ${USER} as user, ${PERSON_LANGUAGE} as "personLanguage" from subscriptions as s
     where ${audienceSql(query, binds)} ${listed} order by s.id limit 1`,
    binds.values,
  )
  return rows[0] ?? null
}

/** The facts of a recipient that a text is rendered with. */
export type SampleRecipient = Pick<
  Recipient,
  'subscriptionId' | 'language' | 'timeZone' | 'browser' | 'appVersion' | 'tags' | 'user' | 'personLanguage'
>

/** A person as a recipient on a platform, by the device that registered last; without one, by their data alone. */
export async function loadPersonSample(
  db: Db,
  { brandId, platform, userId }: PersonSample,
): Promise<SampleRecipient | null> {
  const { rows } = await db.query<SampleRecipient>(
    `select coalesce(d.subscription_id, '') as "subscriptionId", d.language, d.time_zone as "timeZone", d.browser,
       d.app_version as "appVersion", coalesce(d.tags, '{}') as tags, ${USER} as user,
       ${PERSON_LANGUAGE} as "personLanguage"
     from profile_identities as s
     left join lateral (
       select * from subscriptions as o where o.brand_id = s.brand_id and o.profile_id = s.profile_id
         and o.platform = $2 and o.state = 'live' order by o.registered_at desc, o.id desc limit 1
     ) as d on true
     where s.brand_id = $1 and s.kind = 'user_id' and s.value = $3`,
    [brandId, platform, userId],
  )
  return rows[0] ?? null
}

type PersonSample = { readonly brandId: number; readonly platform: Platform; readonly userId: string }

/** One subscription in the form of a recipient, by its public id. Null when there is none on the platform. */
export async function loadRecipient(
  db: Db,
  { brandId, platform, subscriptionId }: RecipientRef,
): Promise<Recipient | null> {
  const { rows } = await db.query<Recipient>(
    `select ${RECIPIENT_COLUMNS}, ${PRESENT}, null::jsonb as user, null::text as "personLanguage" from subscriptions as s
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

function rangeSql(binds: Binds, { brandId, filter }: RangeOf, chunk: ChunkAudience): string {
  const { platform, tag, firstId, lastId, zone, brandZone, reachesVirtual } = chunk
  // The device of each person was chosen when the chunk was cut, for good.
  const narrowing = { ...chunk, isLatestOnly: false }
  const query = { brandId, platform, tag, filter, reachesVirtual, narrowing }
  const devices = { firstDevice: firstId, lastDevice: lastId }
  const members = audienceSql({ ...query, reach: 'few', devices }, binds)
  const range = `s.id between ${binds.add(firstId)} and ${binds.add(lastId)}`
  if (zone === null) return `${members} and ${range}`
  return `${members} and ${range} and coalesce(s.time_zone, ${binds.add(brandZone)}) = ${binds.add(zone)}`
}

/**
 * A delivery that waits for this very attempt has no outcome of it yet. Each recipient is looked up by the key: while the
 * statistics know nothing of a new broadcast, a join would read all its outcomes for each.
 */
function untriedSql(notification: string, attempt: string): string {
  return hasNoneSql({ ...DEVICE, notification }, isTriedSql(attempt))
}

function rowlessSql(notification: string, attempt: string): string {
  return hasNoRowSql({ ...DEVICE, notification }, isTriedSql(attempt))
}

const DEVICE = { brand: 's.brand_id', subscription: 's.id' } as const

/** The condition that a delivery has an outcome of the attempt. */
function isTriedSql(attempt: string): string {
  return `(tried.state <> 'retrying' or tried.attempt >= ${attempt})`
}

/** A device that the person whom the message is for no longer uses must not show it. */
const ABSENCE = `case when s.state <> 'live' then 'unsubscribed'
    when s.profile_id is distinct from coalesce(asked.person, s.profile_id) then 'moved' end as absence`
const PRESENT = 'null::text as absence'

/** The person's attributes for templates. An attribute of the brand goes before ours of the same name. */
const USER = `(select jsonb_strip_nulls(jsonb_build_object('email', p.email, 'mobile', p.mobile, 'user_id',
    (${userIdSql('p.brand_id', 'p.id')}))) || p.attributes
  from profiles as p where p.brand_id = s.brand_id and p.id = s.profile_id)`

/** The language of the person of a subscription `s`. An attribute of another type is none, and so is a long text. */
export const PERSON_LANGUAGE = `(select left(p.attributes ->> 'language', ${LANGUAGE_LIMITS.tagCharsMax} + 1) from profiles as p
  where p.brand_id = s.brand_id and p.id = s.profile_id and jsonb_typeof(p.attributes -> 'language') = 'string')`

const LISTED = {
  name: 'load_listed_recipients',
  text: `select asked.place::integer, ${RECIPIENT_COLUMNS}, ${ABSENCE}, case when asked.is_personal then ${USER} end as user,
      case when asked.has_languages then ${PERSON_LANGUAGE} end as "personLanguage"
    from unnest($1::integer[], $2::bigint[], $3::uuid[], $4::integer[], $5::bigint[], $6::boolean[], $7::boolean[],
      $8::boolean[])
      with ordinality as asked (brand_id, id, notification, attempt, person, is_fresh, is_personal, has_languages, place)
    cross join lateral (
      select subscription_ids from chunks where brand_id = asked.brand_id and id = asked.id offset 0
    ) as chunk
    cross join lateral unnest(chunk.subscription_ids) as listed (id)
    cross join lateral (
      select * from subscriptions where brand_id = asked.brand_id and id = listed.id offset 0
    ) as s
    where asked.is_fresh or (${untriedSql('asked.notification', 'asked.attempt')})
    order by asked.place, s.id`,
}
