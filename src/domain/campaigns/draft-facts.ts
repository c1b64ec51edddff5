import type { Platform } from '../../rules/platforms.ts'
import type { OptOuts } from '../preferences/opt-outs.ts'
import type { QuietHours } from '../preferences/quiet-hours.ts'
import type { Obstacle } from '../push/channel-health.ts'
import type { Judgement } from '../push/checks.ts'
import type { Explanation } from '../push/explanation-text.ts'
import type { Campaign } from './campaign.ts'
import type { Asker } from './states.ts'

/** The facts about a campaign that is not launched and one person, as of one moment. */
export type DraftFacts = {
  readonly now: number
  readonly userId: string
  /** Null when nobody has the user id. */
  readonly person: { readonly id: bigint; readonly createdAt: number } | null
  readonly campaign: Campaign
  /** Null for a document that is not stored. */
  readonly campaignId: bigint | null
  readonly brand: DraftBrand
  /** The people of the audience; null when their number decides nothing. */
  readonly people: number | null
  readonly asker: Asker
  /** Why nothing is sent on a platform at present. */
  readonly obstacles: ReadonlyMap<Platform, Obstacle>
  readonly isHeld: boolean
}

/** The settings of a brand that may keep a message back. */
export type DraftBrand = {
  readonly zone: string
  readonly quietHours: QuietHours | null
  readonly hasOptOuts: boolean
  readonly cap: number | null
  readonly controlPercent: number
  readonly approvalAbove: number | null
}

/** One of the person's devices, with the answers to the conditions of the audience. */
export type DraftDevice = {
  readonly subscriptionId: string
  readonly platform: Platform
  readonly state: string
  readonly stateReason: string | null
  readonly timeZone: string | null
  readonly deviceOptOuts: OptOuts
  readonly personOptOuts: OptOuts
  readonly isOnPlatform: boolean
  readonly isLive: boolean
  /** False for a virtual device that the campaign leaves out. */
  readonly isCounted: boolean
  readonly isTagged: boolean
  readonly isInFilter: boolean
  readonly isListed: boolean
  /** False when the person got the campaign whose people are left out. */
  readonly isSpared: boolean
  readonly isLatest: boolean
  /** When the message for the device leaves at the earliest, and until when it may be sent. */
  readonly dueAt: number
  readonly expiresAt: number
  /** The day of the device's own calendar on which the message is due, and the notifications that count on it. */
  readonly day: string
  readonly taken: number
}

export type DraftJudgement = Judgement<DraftDevice>

export function passed(
  finding: Explanation,
  { devices, at }: Pick<DraftJudgement, 'devices' | 'at'>,
): DraftJudgement {
  return { state: 'passed', finding, devices, at }
}

export function failed(finding: Explanation, at: number): DraftJudgement {
  return { state: 'failed', finding, devices: [], at }
}
