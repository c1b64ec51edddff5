import type { DraftBrand, DraftDevice } from '../../domain/campaigns/draft-facts.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { type AudiencePart, type AudienceQuery, audiencePartSql } from '../push/audience-sql.ts'

/** The settings of the brand that decide on a message. */
export async function loadDraftBrand(db: Db, brandId: number): Promise<DraftBrand> {
  const { rows } = await db.query<DraftBrand>(
    `select time_zone as zone, quiet_hours as "quietHours", has_opt_outs as "hasOptOuts", frequency_cap as cap,
       control_percent as "controlPercent", approval_above as "approvalAbove" from brands where id = $1`,
    [brandId],
  )
  const [brand] = rows
  if (brand === undefined) throw new Error('a caller has no brand')
  return brand
}

/** A device as the store knows it, before the times of the message are known. */
export type AskedDevice = Omit<DraftDevice, 'dueAt' | 'expiresAt' | 'day' | 'taken'>

type DeviceQuery = { readonly query: AudienceQuery; readonly profileId: bigint }

/**
 * The devices of a person, each with the answer to every condition of the audience. The conditions are those of
 * `audienceSql`, one by one. Run it as the engine.
 */
export async function loadDraftDevices(
  db: Db,
  { query, profileId }: DeviceQuery,
): Promise<readonly AskedDevice[]> {
  const binds = new Binds()
  const scope = { brand: binds.add(query.brandId), binds }
  const few = { ...query, reach: 'few' } as const
  const is = (part: AudiencePart, asked: AudienceQuery = few): string =>
    audiencePartSql(part, asked, scope) ?? 'true'
  const person = binds.add(profileId)
  const { rows } = await db.query<AskedDevice>(
    `select s.subscription_id as "subscriptionId", s.platform, s.state, s.state_reason as "stateReason",
       s.time_zone as "timeZone", s.opt_outs as "deviceOptOuts", p.opt_outs as "personOptOuts",
       ${is('platform')} as "isOnPlatform", ${is('live')} as "isLive", ${is('virtual')} as "isCounted",
       ${is('members', { ...few, filter: null })} as "isTagged", ${is('members', { ...few, tag: null })} as "isInFilter",
       ${is('listed')} as "isListed", ${is('except')} as "isSpared", ${is('latest')} as "isLatest"
     from subscriptions as s
     join profiles as p on p.brand_id = s.brand_id and p.id = s.profile_id
     where s.brand_id = ${scope.brand} and s.profile_id = ${person} order by s.id limit 1000`,
    binds.values,
  )
  return rows
}

type TakenQuery = {
  readonly brandId: number
  readonly profileId: bigint
  readonly days: readonly string[]
}

/** How many notifications count against the frequency cap of a person, by day. */
export async function loadTaken(
  db: Db,
  { brandId, profileId, days }: TakenQuery,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.query<{ day: string; taken: number }>(
    `select day::text, cardinality(notification_ids) as taken from frequency_days
     where brand_id = $1 and profile_id = $2 and day = any($3::date[])`,
    [brandId, profileId, days],
  )
  return new Map(rows.map(({ day, taken }) => [day, taken]))
}
