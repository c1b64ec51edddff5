import { audienceFilter } from '../../domain/campaigns/audience.ts'
import type { Campaign } from '../../domain/campaigns/campaign.ts'
import type { CampaignReachCounts } from '../../domain/campaigns/launch.ts'
import { type Fault, fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import type { WrittenFilter } from '../../domain/segments/segment.ts'
import { pathTo } from '../../domain/values/path.ts'
import { TRANSACTIONAL } from '../../rules/topics.ts'
import { type CampaignRef, hasCampaign } from '../../store/campaigns/campaigns.ts'
import type { Db } from '../../store/db.ts'
import { findUnknownTopics } from '../../store/preferences/topics.ts'
import { countReach, hasSegment } from '../../store/push/audience.ts'
import type { AudienceQuery } from '../../store/push/audience-sql.ts'
import { resolveFilter } from '../../store/segments/filters.ts'
import { checkReferences } from '../segments/size.ts'

/** Whether the segments and the campaign that an audience names are there, and the topic of the campaign. */
export async function checkCampaign(
  tx: Db,
  brandId: number,
  { audience, topic }: Pick<Campaign, 'audience' | 'topic'>,
): Promise<Result<null>> {
  const { segmentId, filter, except } = audience
  const faults = [
    ...(await segmentFaults(tx, brandId, { segmentId, path: 'audience.segment_id' })),
    ...(await segmentFaults(tx, brandId, {
      segmentId: except.segmentId,
      path: 'audience.except.segment_id',
    })),
    ...(await filterFaults(tx, brandId, { filter, path: 'audience' })),
    ...(await filterFaults(tx, brandId, { filter: except.filter, path: 'audience.except' })),
  ]
  const { campaignId } = except
  if (campaignId !== null && !(await hasCampaign(tx, { brandId, campaignId }))) {
    faults.push(fault('campaign_not_found', 'audience.except.campaign_id'))
  }
  faults.push(...(await topicFaults(tx, brandId, topic)))
  const [first, ...others] = faults
  return first === undefined ? accept(null) : reject(first, ...others)
}

type NamedSegment = { readonly segmentId: bigint | null; readonly path: string }

async function segmentFaults(
  tx: Db,
  brandId: number,
  { segmentId, path }: NamedSegment,
): Promise<readonly Fault[]> {
  if (segmentId === null || (await hasSegment(tx, { brandId, segmentId }))) return []
  return [fault('segment_not_found', path, { id: segmentId })]
}

type NamedFilter = { readonly filter: WrittenFilter | null; readonly path: string }

async function filterFaults(
  tx: Db,
  brandId: number,
  { filter, path }: NamedFilter,
): Promise<readonly Fault[]> {
  if (filter === null) return []
  const checked = await checkReferences(tx, { brandId, filter, self: null })
  if (checked.ok) return []
  return checked.rejection.faults.map((flaw) => ({ ...flaw, field: pathTo(path, flaw.field ?? 'filter') }))
}

/** An archived topic is like none, and so is another brand's. */
async function topicFaults(tx: Db, brandId: number, topic: string | null): Promise<readonly Fault[]> {
  if (topic === null || topic === TRANSACTIONAL) return []
  const unknown = await findUnknownTopics(tx, brandId, [topic])
  return unknown.has(topic) ? [fault('topic_unknown', 'topic', { topic })] : []
}

/** A campaign, or a document that is not stored and has no number. */
type DraftRef = Pick<CampaignRef, 'brandId'> & { readonly campaignId: bigint | null }

/** The audience of a campaign on all of its platforms, as the store asks for it. */
export async function audienceQueryOf(
  db: Db,
  { brandId, campaignId }: DraftRef,
  campaign: Campaign,
): Promise<AudienceQuery> {
  const { audience, platforms, reach, reachesVirtual } = campaign
  const written = audienceFilter(audience)
  return {
    brandId,
    platform: platforms,
    tag: audience.tag,
    reachesVirtual,
    filter: written === null ? null : await resolveFilter(db, brandId, written),
    narrowing: {
      campaignId,
      hasUserList: audience.userIds !== null,
      exceptCampaignId: audience.except.campaignId,
      isLatestOnly: reach === 'latest_device',
      ...(campaignId === null && audience.userIds !== null ? { userIds: audience.userIds } : {}),
    },
  }
}

/** Counts the people and the devices that a campaign would reach now. */
export async function countCampaign(db: Db, ref: DraftRef, campaign: Campaign): Promise<CampaignReachCounts> {
  const rows = await countReach(db, await audienceQueryOf(db, ref, campaign))
  const whole = rows.find(({ platform }) => platform === null)
  const platforms = rows.flatMap(({ platform, people, devices }) =>
    platform === null ? [] : [[platform, { people, devices }] as const],
  )
  return {
    people: whole?.people ?? 0,
    devices: whole?.devices ?? 0,
    platforms: new Map(platforms),
  }
}
