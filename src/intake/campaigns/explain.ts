import { bestHours } from '../../domain/campaigns/best-hour.ts'
import type { Campaign } from '../../domain/campaigns/campaign.ts'
import { draftChecks } from '../../domain/campaigns/draft-checks.ts'
import type { DraftDevice, DraftFacts } from '../../domain/campaigns/draft-facts.ts'
import { leavesAt } from '../../domain/campaigns/draft-withholding.ts'
import type { Asker } from '../../domain/campaigns/states.ts'
import type { Obstacle } from '../../domain/push/channel-health.ts'
import { isLetThrough, type SendingCheck } from '../../domain/push/checks.ts'
import { handOverSecondsOf } from '../../domain/push/notification.ts'
import type { Schedule } from '../../domain/push/schedule.ts'
import { subscriberInstants } from '../../domain/push/zones.ts'
import { localDay } from '../../domain/values/time-zone.ts'
import type { Platform } from '../../rules/platforms.ts'
import { TRANSACTIONAL } from '../../rules/topics.ts'
import {
  type AskedDevice,
  loadDraftBrand,
  loadDraftDevices,
  loadTaken,
} from '../../store/campaigns/draft-explaining.ts'
import type { Db } from '../../store/db.ts'
import { findProfileId } from '../../store/journeys/reads.ts'
import { loadActivePerson, loadBrandQuarters } from '../../store/push/best-hours.ts'
import type { PushWarnings } from '../push/warnings.ts'
import { audienceQueryOf, countCampaign } from './audience.ts'

type ExplainDeps = { readonly database: Db; readonly pushWarnings: PushWarnings }

/** A campaign that is not launched, and the person whom the question is about. */
export type DraftQuestion = {
  readonly brandId: number
  /** Null for a document that is not stored. */
  readonly campaignId: bigint | null
  readonly campaign: Campaign
  readonly schedule: Schedule
  readonly userId: string
  readonly asker: Asker
  readonly now: number
}

/** Asks every check that a launch at this moment would ask about one person. Nothing is stored or sent. */
export async function explainDraft(
  deps: ExplainDeps,
  question: DraftQuestion,
): Promise<readonly SendingCheck[]> {
  const { database } = deps
  const { brandId, campaignId, campaign, userId, asker, now } = question
  const brand = await loadDraftBrand(database, brandId)
  const person = await findProfileId(database, { brandId, userId })
  const facts = {
    now,
    userId,
    person,
    campaign,
    campaignId,
    brand,
    people: null,
    asker,
    ...(await loadObstacles(deps, question)),
  }
  const devices = person === null ? [] : await loadDevices(deps, question, { ...facts, person })
  const checks = draftChecks(facts, devices)
  if (!isCountDecisive(facts) || !isLetThrough(checks)) return checks
  const { people } = await countCampaign(database, { brandId, campaignId }, campaign)
  return draftChecks({ ...facts, people }, devices)
}

/**
 * Whether consent depends on the number of people. Counting a large audience takes longer than all other checks together, and
 * consent is the last of them, so the audience is counted only once every other check let the message through.
 */
function isCountDecisive({ brand, asker }: Pick<DraftFacts, 'brand' | 'asker'>): boolean {
  return brand.approvalAbove !== null && asker.mayLaunch
}

async function loadObstacles(
  { pushWarnings }: ExplainDeps,
  { brandId, campaign }: DraftQuestion,
): Promise<Pick<DraftFacts, 'obstacles' | 'isHeld'>> {
  const obstacles = new Map<Platform, Obstacle>()
  for (const platform of campaign.platforms) {
    const obstacle = await pushWarnings.channelObstacle({ brandId, platform })
    if (obstacle !== null) obstacles.set(platform, obstacle)
  }
  return { obstacles, isHeld: await pushWarnings.isHeld() }
}

type Known = Pick<DraftFacts, 'campaign' | 'brand'> & { readonly person: { readonly id: bigint } }

async function loadDevices(
  { database }: ExplainDeps,
  question: DraftQuestion,
  known: Known,
): Promise<readonly DraftDevice[]> {
  const { brandId, campaignId, campaign } = question
  const profileId = known.person.id
  const query = await audienceQueryOf(database, { brandId, campaignId }, campaign)
  const asked = await loadDraftDevices(database, { query, profileId })
  const dueAt = await dueTimes(database, question, known)
  const timed = asked.map((device) => {
    const zone = device.timeZone ?? known.brand.zone
    const due = dueAt(device)
    const content = campaign.contents.get(device.platform)
    const expiresAt = due + (content === undefined ? 0 : handOverSecondsOf(content)) * 1000
    const leavingAt = Math.max(due, question.now)
    const day = localDay(zone, leavesAt(known, { zone, dueAt: leavingAt, expiresAt }))
    return { ...device, dueAt: leavingAt, expiresAt, day }
  })
  const days = [...new Set(timed.map(({ day }) => day))]
  const taken = await loadTaken(database, { brandId, profileId, days })
  return timed.map((device) => ({ ...device, taken: taken.get(device.day) ?? 0 }))
}

/** When a device gets the message: at one time, at that time on its own clock, or at the hour of its person. */
async function dueTimes(
  database: Db,
  { brandId, campaign, schedule }: DraftQuestion,
  { brand, person }: Known,
): Promise<(device: AskedDevice) => number> {
  const { sendAt: from, wall, bestHourUntil: until } = schedule
  if (wall !== null) {
    const instantIn = subscriberInstants({ wall, brandZone: brand.zone })
    return ({ timeZone }) => instantIn(timeZone)
  }
  if (until === undefined) return () => from
  const quietHours = campaign.topic === TRANSACTIONAL ? null : brand.quietHours
  const brandQuarters = await loadBrandQuarters(database, brandId)
  const choose = bestHours({ from, until, brandZone: brand.zone, quietHours, brandQuarters })
  const { at } = choose(await loadActivePerson(database, { brandId, profileId: person.id }))
  return () => at
}
