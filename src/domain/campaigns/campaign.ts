import type { CampaignReach } from '../../rules/campaigns.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { Alternatives } from '../push/alternatives.ts'
import type { Content } from '../push/message.ts'
import type { TemplateOrigin } from '../push/notification.ts'
import type { Timing } from '../push/schedule.ts'
import type { CampaignAudience } from './audience.ts'
import type { CampaignTrial } from './trial-reading.ts'

/** A campaign's document, read and valid. */
export type Campaign = {
  readonly audience: CampaignAudience
  readonly platforms: readonly Platform[]
  readonly reach: CampaignReach
  /** The whole content for each of the platforms. */
  readonly contents: ReadonlyMap<Platform, Content>
  /** The contents in other languages and of the variants, for each of the platforms that has any. */
  readonly alternatives: ReadonlyMap<Platform, Alternatives>
  readonly trial: CampaignTrial
  /** The template that `content` names, in the version of the moment. */
  readonly template: TemplateOrigin | null
  readonly topic: string | null
  /** The caller's own id: a later notification with the same id replaces this one on the device. */
  readonly callerNotificationId: bigint | null
  readonly timing: Timing
  /** The most messages that are sent in a second, over all platforms; null for no limit. */
  readonly perSecond: number | null
  readonly ignoresCap: boolean
  readonly reachesVirtual: boolean
  /** How long nothing leaves after the launch. */
  readonly undoSeconds: number
}
