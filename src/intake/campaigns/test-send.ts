import type { Campaign } from '../../domain/campaigns/campaign.ts'
import { testDrafts } from '../../domain/campaigns/launch.ts'
import { type Fault, fault } from '../../domain/fault.ts'
import { planSchedule } from '../../domain/push/schedule.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { pathTo } from '../../domain/values/path.ts'
import type { CampaignRef } from '../../store/campaigns/campaigns.ts'
import { loadTestPeople, type TestPerson } from '../../store/campaigns/test-people.ts'
import type { Database, Db } from '../../store/db.ts'
import type { NewNotification } from '../../store/push/notifications.ts'
import { acceptPushes } from '../push/accept.ts'

export type CampaignTest = {
  readonly ref: CampaignRef
  readonly campaign: Campaign
  readonly userIds: readonly string[]
  /** The name of the variant that is tested; null for each of them. */
  readonly variant: string | null
  readonly now: number
}

export type CampaignTestSend = {
  readonly people: readonly TestPerson[]
  readonly notifications: readonly NewNotification[]
}

/** Sends a campaign's message to chosen people now, on the platforms that they and the campaign have. */
export async function sendCampaignTest(
  database: Database,
  tx: Db,
  { ref, campaign, userIds, variant, now }: CampaignTest,
): Promise<Result<CampaignTestSend>> {
  const { brandId, campaignId } = ref
  const people = await loadTestPeople(tx, brandId, userIds)
  const known = new Set(people.map(({ userId }) => userId))
  const [first, ...others] = userIds.flatMap((userId, at) =>
    known.has(userId) ? [] : [fault('profile_not_found', pathTo('user_ids', at))],
  )
  if (first !== undefined) return reject(first, ...others)
  const names = campaign.trial.variants.map(({ name }) => name)
  if (variant !== null && !names.includes(variant)) return reject(unknownVariant(names))
  const variants = [...names.keys()].filter((place) => variant === null || names[place] === variant)
  const schedule = planSchedule({ kind: 'now' }, now)
  if (!schedule.ok) return schedule
  const pushes = people.flatMap(({ profileId, platforms }) =>
    platforms.flatMap((platform) => {
      const origin = { journey: null, campaign: { campaignId, isTest: true, trial: null } }
      const common = { brandId, schedule: schedule.value, warnings: [], now, ...origin }
      return testDrafts(campaign, { platform, profileId, variants }).map((draft) => ({ ...common, draft }))
    }),
  )
  const outcomes = await acceptPushes(database, tx, brandId, pushes)
  const refused = outcomes.find((outcome) => !outcome.ok)
  if (refused?.ok === false) return refused
  return accept({ people, notifications: outcomes.flatMap((one) => (one.ok ? [one.value] : [])) })
}

/** The refusal of a variant that the campaign does not have. */
export function unknownVariant(names: readonly string[]): Fault {
  const detail = names.length === 0 ? 'the campaign has no variants' : `it must be one of ${names.join(', ')}`
  return fault('campaign_invalid', 'variant', { detail })
}
