import type { Platform } from '../../rules/platforms.ts'
import type { Variant } from '../push/alternatives.ts'
import { type Explanation, explanation } from '../push/explanation-text.ts'
import { groupOf } from './assignment.ts'
import { type ActivePerson, type BestHourQuery, bestHours } from './best-hour.ts'
import type { StoredTrial } from './trial.ts'

/** The facts about a campaign's notification and one person. */
export type CampaignFacts = {
  readonly campaignId: bigint
  readonly person: bigint
  readonly trial: StoredTrial | null
  readonly variants: readonly Variant[]
  /** Null when the campaign has no list of people. */
  readonly isListed: boolean | null
  /** The campaign whose people are left out, if the person got it. */
  readonly gotCampaignId: bigint | null
  /** The device that was chosen, or would be now, when the campaign notifies only the one that registered last. */
  readonly latest: { readonly subscriptionId: string; readonly platform: Platform } | null
  /** The choice of the person's hour; null when the campaign has a time of its own. */
  readonly hour: HourFacts | null
}

/** The activity that decides on a person's hour, as it is now, and the instant that was chosen while it is to come. */
export type HourFacts = {
  readonly query: BestHourQuery
  readonly person: ActivePerson
  readonly plannedAt: number | null
}

/** Why a campaign left a person out, the first reason first; none if it did not. */
export function explainLeftOut(facts: CampaignFacts, platform: Platform): readonly Explanation[] {
  const { isListed, gotCampaignId, latest } = facts
  if (isListed === false) return [explanation('not_listed')]
  if (gotCampaignId !== null) return [explanation('got_other_campaign', { campaign: gotCampaignId })]
  const group = explainGroup(facts)
  if (group.length > 0) return group
  if (latest === null || latest.platform === platform) return []
  return [explanation('other_device', { subscription: latest.subscriptionId, platform: latest.platform })]
}

function explainGroup({ trial, campaignId, variants, person }: CampaignFacts): readonly Explanation[] {
  if (trial === null) return []
  const weights = variants.map(({ weight }) => weight)
  const { kind } = groupOf({ campaignId, weights, ...trial }, person)
  const { holdoutPercent, controlPercent, phase } = trial
  if (kind === 'holdout') return [explanation('held_out', { percent: holdoutPercent })]
  if (kind === 'control') return [explanation('in_control_group', { percent: controlPercent })]
  if (kind === 'sent') return []
  const percent = phase.kind === 'whole' ? 0 : phase.percent
  return [explanation(phase.kind === 'test' ? 'not_in_test' : 'in_test', { percent })]
}

/** The hour at which the person gets the message, and why. A delivery has the instant at which they got it. */
export function explainHour(
  { hour: asked }: CampaignFacts,
  { isDelivered }: { readonly isDelivered: boolean },
): readonly Explanation[] {
  if (asked === null) return []
  const { at, hour, zone, source, count } = bestHours(asked.query)(asked.person)
  const due = isDelivered ? 'The hour was chosen at the launch.' : dueWords(asked.plannedAt, at)
  return [explanation(HOUR_CODES[source], { due, hour, zone, count })]
}

function dueWords(plannedAt: number | null, today: number): string {
  return plannedAt === null
    ? `The message would be due at ${new Date(today).toISOString()}.`
    : `The message was planned for ${new Date(plannedAt).toISOString()}.`
}

const HOUR_CODES = { person: 'best_hour_own', brand: 'best_hour_brand', nobody: 'best_hour_none' } as const

/** The variant of a message that was sent, by its place. */
export function explainVariant(
  { variants }: CampaignFacts,
  given: { readonly subscription: string; readonly variant: number | null },
): readonly Explanation[] {
  const { subscription, variant } = given
  const name = variant === null ? undefined : variants[variant]?.name
  return name === undefined ? [] : [explanation('variant_chosen', { subscription, variant: name })]
}
