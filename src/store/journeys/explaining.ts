import type { StoredSend } from '../../domain/journeys/explanation.ts'
import type { JourneyEvent } from '../../domain/journeys/journey.ts'
import type { ExplainedDevice, StoredFacts } from '../../domain/push/explanation.ts'
import { loadCampaignFacts } from '../campaigns/explaining.ts'
import type { Db } from '../db.ts'
import { anyEvents, needing } from '../event-needs.ts'
import { loadAudienceFilter } from '../push/audience.ts'
import type { CampaignNarrowing } from '../push/audience-sql.ts'
import { deliverySql } from '../push/delivery-sql.ts'
import { PERSON_LANGUAGE } from '../push/recipients.ts'
import { findInFilter } from './people.ts'

type ExplainRef = {
  readonly brandId: number
  readonly id: string
  readonly profileId: bigint
  readonly now: number
}

/** The facts about a notification and one person; null when there is no such notification. Run it as the engine. */
export async function loadNotificationFacts(db: Db, ref: ExplainRef): Promise<StoredFacts | null> {
  const { brandId, id, profileId, now } = ref
  const { rows } = await db.query<FactsRow>(
    `select ${COLUMNS}, n.filter as "writtenFilter", n.campaign_id is not null as "isOfCampaign", n.mode <> 'send' or n.profile_id = $3 and n.subscription_ids is null or exists (
         select from subscriptions as s
         where s.brand_id = $1 and s.id = any(n.subscription_ids) and s.profile_id = $3) as "isAddressed"
     from notifications as n ${BRAND} where n.brand_id = $1 and n.id = $2`,
    [brandId, id, profileId],
  )
  const [row] = rows
  if (row === undefined) return null
  const { writtenFilter, isOfCampaign, ...notification } = row
  const filter = await loadAudienceFilter(db, { brandId, writtenFilter, segmentId: notification.segmentId })
  const found =
    filter === null ? null : await findInFilter(db, { brandId, filter, profileIds: [profileId], now })
  const devices = await loadDevices(db, { brandId, ids: [id], profileId })
  return {
    ...notification,
    isInSegment: found?.has(profileId) ?? true,
    campaign: isOfCampaign ? await loadCampaignFacts(db, ref) : null,
    devices: devices.get(id) ?? [],
  }
}

type FactsRow = Omit<StoredFacts, 'devices' | 'isInSegment' | 'campaign'> &
  Pick<CampaignNarrowing, 'writtenFilter'> & { readonly isOfCampaign: boolean }

const COLUMNS = `n.platform, n.state, n.reason, n.send_at as "sendAt", n.tag, n.segment_id as "segmentId", n.topic,
  coalesce(n.alternatives -> 'languages', '[]') as languages, brands.language as "brandLanguage",
  brands.frequency_cap as cap, brands.quiet_hours as "quietHours", brands.time_zone as "brandZone"`
const BRAND = 'join brands on brands.id = n.brand_id'

type JourneySendQuery = {
  readonly brandId: number
  readonly journeyId: bigint
  readonly profileId: bigint
  readonly moments: readonly number[]
}

/**
 * The notifications that a journey sent to one person at these instants, as far as they are still stored. Run it as
 * the engine.
 */
export async function loadJourneySends(db: Db, query: JourneySendQuery): Promise<readonly StoredSend[]> {
  const { brandId, journeyId, profileId, moments } = query
  if (moments.length === 0) return []
  const { rows } = await db.query<SendRow>(
    `select ${COLUMNS}, n.id, n.created_at as "askedAt" from notifications as n ${BRAND}
     where n.brand_id = $1 and n.profile_id = $2 and n.journey_id = $3 and n.created_at = any($4)
     order by n.created_at, n.platform limit 500`,
    [brandId, profileId, journeyId, moments.map((at) => new Date(at))],
  )
  const devices = await loadDevices(db, { brandId, ids: rows.map(({ id }) => id), profileId })
  return rows.map(({ id, askedAt, ...facts }) => ({
    id,
    askedAt,
    facts: { ...facts, isAddressed: true, isInSegment: true, campaign: null, devices: devices.get(id) ?? [] },
  }))
}

type SendRow = Omit<StoredFacts, 'devices' | 'isInSegment' | 'isAddressed' | 'campaign'> &
  Omit<StoredSend, 'facts'>

type DeviceQuery = { readonly brandId: number; readonly ids: readonly string[]; readonly profileId: bigint }

/** The person's devices on the platform of each notification, by its id. */
async function loadDevices(
  db: Db,
  { brandId, ids, profileId }: DeviceQuery,
): Promise<ReadonlyMap<string, readonly ExplainedDevice[]>> {
  const { rows } = await db.query<ExplainedDevice & { readonly id: string }>(
    `select n.id, s.subscription_id as "subscriptionId", s.state, s.state_reason as "stateReason",
       s.created_at as "createdAt", s.tags || p.tags as tags, s.is_virtual and not n.reaches_virtual as "isLeftOut",
       s.time_zone as "timeZone",
       s.opt_outs as "deviceOptOuts", p.opt_outs as "personOptOuts", d.state as delivery, d.reason as "deliveryReason",
       d.variant, d.seen,
       d.language as "deliveryLanguage", s.language, ${PERSON_LANGUAGE} as "personLanguage",
       d.at as "deliveredAt",
       array(select r.kind from receipts as r where r.brand_id = $1 and r.notification_id = n.id
         and r.subscription_id = s.id order by r.at) as receipts
     from notifications as n
     join subscriptions as s on s.brand_id = n.brand_id and s.profile_id = $3 and s.platform = n.platform
     join profiles as p on p.brand_id = n.brand_id and p.id = $3
     left join lateral (
       ${deliverySql({ brand: 'n.brand_id', notification: 'n.id', subscription: 's.id' })}
     ) as d on true
     where n.brand_id = $1 and n.id = any($2) order by n.id, s.id limit 1000`,
    [brandId, ids, profileId],
  )
  return Map.groupBy(rows, ({ id }) => id)
}

/** The latest times at which a person did an event. */
export async function loadTriggers(
  db: Db,
  { brandId, profileId, event, limit }: TriggerQuery,
): Promise<readonly (JourneyEvent & { readonly isBeforeCreation: boolean })[]> {
  const { rows } = await db.query<Omit<JourneyEvent, 'kind'> & { readonly isBeforeCreation: boolean }>(
    `select event_name as name, event_at as at, attributes, is_before_creation as "isBeforeCreation" from events
     where brand_id = $1 and profile_id = $2 and event_name = $3 order by event_at desc limit $4`,
    needing([brandId, profileId, event, limit], {
      ...anyEvents(brandId),
      people: [profileId],
      names: [event],
      pick: { kind: 'newest', limit, before: null },
    }),
  )
  return rows.map((row) => ({ kind: 'event', ...row }))
}

type TriggerQuery = {
  readonly brandId: number
  readonly profileId: bigint
  readonly event: string
  readonly limit: number
}
