import type { Campaign } from '../../domain/campaigns/campaign.ts'
import { testDrafts } from '../../domain/campaigns/launch.ts'
import { type Fault, fault } from '../../domain/fault.ts'
import { planSchedule } from '../../domain/push/schedule.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { pathTo } from '../../domain/values/path.ts'
import type { CampaignRef } from '../../store/campaigns/campaigns.ts'
import {
  loadTestDevices,
  loadTestPeople,
  type TestDevice,
  type TestPerson,
} from '../../store/campaigns/test-people.ts'
import type { Database, Db } from '../../store/db.ts'
import type { NewNotification } from '../../store/push/notifications.ts'
import { acceptPushes } from '../push/accept.ts'

export type CampaignTest = {
  readonly ref: CampaignRef
  readonly campaign: Campaign
  readonly userIds: readonly string[]
  /** Single devices, beside those of the people. */
  readonly subscriptionIds: readonly string[]
  /** The name of the variant that is tested; null for each of them. */
  readonly variant: string | null
  readonly now: number
}

export type CampaignTestSend = {
  readonly people: readonly TestPerson[]
  readonly notifications: readonly NewNotification[]
}

/** Sends a campaign's message to chosen people and devices now, on the platforms that they and the campaign have. */
export async function sendCampaignTest(
  database: Database,
  tx: Db,
  { ref, campaign, variant, now, ...chosen }: CampaignTest,
): Promise<Result<CampaignTestSend>> {
  const { brandId, campaignId } = ref
  const found = await findChosen(tx, brandId, chosen)
  if (!found.ok) return found
  const { people, devices } = found.value
  const names = campaign.trial.variants.map(({ name }) => name)
  if (variant !== null && !names.includes(variant)) return reject(unknownVariant(names))
  const variants = [...names.keys()].filter((place) => variant === null || names[place] === variant)
  const schedule = planSchedule({ kind: 'now' }, now)
  if (!schedule.ok) return schedule
  const origin = { journey: null, campaign: { campaignId, isTest: true, trial: null } }
  const common = { brandId, schedule: schedule.value, warnings: [], now, ...origin }
  const pushes = [...people.flatMap(personTargets), ...devices.map(deviceTarget)].flatMap((target) =>
    testDrafts(campaign, { ...target, variants }).map((draft) => ({ ...common, draft })),
  )
  const outcomes = await acceptPushes(database, tx, brandId, pushes)
  const refused = outcomes.find((outcome) => !outcome.ok)
  if (refused?.ok === false) return refused
  return accept({ people, notifications: outcomes.flatMap((one) => (one.ok ? [one.value] : [])) })
}

type Chosen = Pick<CampaignTest, 'userIds' | 'subscriptionIds'>

type Found = { readonly people: readonly TestPerson[]; readonly devices: readonly TestDevice[] }

async function findChosen(
  tx: Db,
  brandId: number,
  { userIds, subscriptionIds }: Chosen,
): Promise<Result<Found>> {
  const people = await loadTestPeople(tx, brandId, userIds)
  const devices = await loadTestDevices(tx, brandId, subscriptionIds)
  const known = new Set(people.map(({ userId }) => userId))
  const live = new Set(devices.map(({ subscriptionId }) => subscriptionId))
  const [first, ...others] = [
    ...userIds.flatMap((userId, at) =>
      known.has(userId) ? [] : [fault('profile_not_found', pathTo('user_ids', at))],
    ),
    ...subscriptionIds.flatMap((id, at) =>
      live.has(id) ? [] : [fault('subscription_not_found', pathTo('subscription_ids', at))],
    ),
  ]
  return first === undefined ? accept({ people, devices }) : reject(first, ...others)
}

function personTargets({ profileId, platforms }: TestPerson) {
  return platforms.map((platform) => ({ platform, target: { kind: 'person', profileId } as const }))
}

function deviceTarget({ platform, subscriptionId }: TestDevice) {
  const keys = { userId: null, subscriptionId, eitherId: null, deviceId: null }
  return { platform, target: { kind: 'one', keys } as const }
}

/** The refusal of a variant that the campaign does not have. */
export function unknownVariant(names: readonly string[]): Fault {
  const detail = names.length === 0 ? 'the campaign has no variants' : `it must be one of ${names.join(', ')}`
  return fault('campaign_invalid', 'variant', { detail })
}
