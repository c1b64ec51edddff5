import type { Filter } from '../../domain/segments/segment.ts'
import { unreachable } from '../../domain/unreachable.ts'
import type { JsonObject } from '../../domain/values/json.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { Binds } from '../bind.ts'
import type { SegmentReach } from '../segments/comparison-sql.ts'
import { segmentSql } from '../segments/sql.ts'
import { acceptedOfSql, acceptedSql } from './delivery-sql.ts'

/** The part of an audience that only a campaign's notification has, as its row says it. */
export type CampaignNarrowing = {
  /** A filter as it was written; with it, `segmentId` says nothing more. */
  readonly writtenFilter: JsonObject | null
  readonly campaignId: bigint | null
  /** Whether only the people are meant that the campaign lists. */
  readonly hasUserList: boolean
  /** The people who got this campaign are left out. */
  readonly exceptCampaignId: bigint | null
  /** Whether only the device is meant that a person used last, over all platforms. */
  readonly isLatestOnly: boolean
}

/** Whether virtual devices are part of an audience. A push to one subscriber always reaches them. */
export type VirtualReach = { readonly reachesVirtual: boolean }

/** The columns of `CampaignNarrowing` and `VirtualReach` in the row `n` of notifications. */
export const NARROWING_COLUMNS = `n.filter as "writtenFilter", n.campaign_id as "campaignId",
  n.has_user_list as "hasUserList", n.except_campaign_id as "exceptCampaignId", n.is_latest_only as "isLatestOnly",
  n.reaches_virtual as "reachesVirtual"`

/** The audience of a notification, before any subscription is looked up. */
export type AudienceQuery = VirtualReach & {
  readonly brandId: number
  /** One platform, or several that are counted together. */
  readonly platform: Platform | readonly Platform[]
  readonly tag: string | null
  /** The filter of the segment; null for everybody. */
  readonly filter: Filter | null
  /** How many subscriptions the query is about; `everybody` without it. */
  readonly reach?: SegmentReach
  /** The only devices that the query is about, if they are known: from the first id to the last. */
  readonly devices?: { readonly firstDevice: bigint; readonly lastDevice: bigint }
  /** Absent for a notification that no campaign asked for. Its written filter is part of `filter` already. */
  readonly narrowing?: Omit<CampaignNarrowing, 'writtenFilter'> & {
    /** The listed people of a document that is not stored. */
    readonly userIds?: readonly string[]
  }
}

/** The conditions that an audience consists of, in the order in which they stand in a statement. */
export const AUDIENCE_PARTS = [
  'brand',
  'platform',
  'live',
  'virtual',
  'members',
  'listed',
  'except',
  'latest',
] as const

export type AudiencePart = (typeof AUDIENCE_PARTS)[number]

/** The parameter of the brand, and those of the statement. */
type AudienceScope = { readonly brand: string; readonly binds: Binds }

/**
 * The condition that a live subscription `s` belongs to an audience. Run it as the engine, which `segmentSql`
 * requires.
 */
export function audienceSql(query: AudienceQuery, binds: Binds): string {
  const scope = { brand: binds.add(query.brandId), binds }
  return AUDIENCE_PARTS.flatMap((part) => audiencePartSql(part, query, scope) ?? []).join(' and ')
}

/** One of the conditions alone, so that an explanation asks what the audience asks; null if the audience does not ask it. */
export function audiencePartSql(
  part: AudiencePart,
  query: AudienceQuery,
  scope: AudienceScope,
): string | null {
  const { brand, binds } = scope
  const { reach = 'everybody', reachesVirtual, narrowing } = query
  switch (part) {
    case 'brand':
      return `s.brand_id = ${brand}`
    case 'platform':
      return platformSql(query.platform, binds)
    case 'live':
      return `s.state = 'live'`
    case 'virtual':
      return reachesVirtual ? null : 'not s.is_virtual'
    case 'members':
      return membersSql(query, scope)
    case 'listed':
      return narrowing?.hasUserList === true ? listSql(narrowing, { ...scope, reach }) : null
    case 'except': {
      const except = narrowing?.exceptCampaignId ?? null
      return except === null ? null : notSentSql({ brand, campaign: binds.add(except), reach })
    }
    case 'latest':
      return narrowing?.isLatestOnly === true ? latestSql({ reachesVirtual }) : null
    default:
      return unreachable(part)
  }
}

/** One filter and not two, because each filter would start from an index of its own. */
function membersSql(
  { brandId, tag, filter, devices, reach = 'everybody' }: AudienceQuery,
  { brand, binds }: AudienceScope,
): string | null {
  const wanted: readonly Filter[] = [
    ...(tag === null ? [] : [{ kind: 'tag', tag } as const]),
    ...(filter === null ? [] : [filter]),
  ]
  if (wanted.length === 0) return null
  return segmentSql(
    { kind: 'all', of: wanted },
    { brandId, brand, binds, now: 'now()', reach, people: devices },
  )
}

function platformSql(platform: AudienceQuery['platform'], binds: Binds): string {
  return typeof platform === 'string'
    ? `s.platform = ${binds.add(platform)}`
    : `s.platform = any(${binds.add(platform)}::text[])`
}

type CampaignScope = {
  readonly brand: string
  readonly campaign: string
  readonly reach: SegmentReach
}

/**
 * The people of a stored campaign are in a table; a document that is not stored has them with it. For everybody the
 * search begins at the list; for a few, each person is looked up in it.
 */
function listSql(
  { campaignId, userIds }: NonNullable<AudienceQuery['narrowing']>,
  { brand, binds, reach }: AudienceScope & { readonly reach: SegmentReach },
): string {
  const named = `from profile_identities as i`
  const ofBrand = `i.brand_id = ${brand} and i.kind = 'user_id'`
  const listed =
    userIds === undefined
      ? `${named}
    join campaign_users as u on u.brand_id = i.brand_id and u.campaign_id = ${binds.add(campaignId)} and u.user_id = i.value
    where ${ofBrand}`
      : `${named} where ${ofBrand} and i.value = any(${binds.add(userIds)}::text[])`
  return reach === 'few'
    ? `exists (select ${listed} and i.profile_id = s.profile_id)`
    : `s.profile_id in (select i.profile_id ${listed})`
}

/** A person got a campaign when one of their devices, of any platform, has an accepted message of it. */
function notSentSql({ brand, campaign, reach }: CampaignScope): string {
  const isSent = `sent.brand_id = ${brand} and sent.campaign_id = ${campaign} and not sent.is_test`
  if (reach === 'few') {
    const got = acceptedSql({ brand, notification: 'sent.id', subscription: 'o.id' })
    return `not exists (select from (
        select s.id union all
        select theirs.id from subscriptions as theirs where theirs.brand_id = ${brand} and theirs.profile_id = s.profile_id
      ) as o join notifications as sent on ${isSent} cross join lateral (${got}) as d)`
  }
  const got = acceptedOfSql({ brand: 'sent.brand_id', notification: 'sent.id' })
  return `not exists (select from notifications as sent cross join lateral (${got}) as d
    join subscriptions as o on o.brand_id = d.brand_id and o.id = d.subscription_id
    where ${isSent} and coalesce(o.profile_id, -o.id) = coalesce(s.profile_id, -s.id))`
}

/** A device without a person is the latest of its own. A virtual device that is left out hides no real one. */
function latestSql({ reachesVirtual }: VirtualReach): string {
  return `not exists (select from subscriptions as o
    where o.brand_id = s.brand_id and o.profile_id = s.profile_id and o.state = 'live'
      ${reachesVirtual ? '' : 'and not o.is_virtual'} and (o.registered_at, o.id) > (s.registered_at, s.id))`
}
