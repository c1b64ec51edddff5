import { explanation } from '../push/explanation-text.ts'
import { groupOf, type TrialGroup } from './assignment.ts'
import type { Campaign } from './campaign.ts'
import { type DraftDevice, type DraftFacts, type DraftJudgement, failed, passed } from './draft-facts.ts'
import { firstTrial } from './trial.ts'

/** The group that the person would be in: the same that the launch gives them, as far as the campaign has a number. */
export function judgeGroup(facts: DraftFacts, devices: readonly DraftDevice[]): DraftJudgement {
  const { campaign, campaignId, brand, person, now: at } = facts
  const { holdoutPercent: held, variants, winner } = campaign.trial
  const { controlPercent } = brand
  const drawn = campaignId === null ? undrawn(campaign) : campaign.trial
  const trial = firstTrial(drawn, controlPercent)
  const group: TrialGroup =
    trial === null || person === null
      ? { kind: 'sent', variant: null }
      : groupOf(
          { campaignId: campaignId ?? 0n, weights: drawn.variants.map(({ weight }) => weight), ...trial },
          person.id,
        )
  if (group.kind === 'control')
    return failed(explanation('in_control_group', { percent: controlPercent }), at)
  if (group.kind === 'holdout') return failed(explanation('held_out', { percent: held }), at)
  if (group.kind === 'other_phase') {
    const finding = explanation('not_in_test', { percent: winner?.testPercent ?? 0 })
    return { state: 'waits', finding, devices, at }
  }
  const percent = held + controlPercent
  if (campaignId === null && (held > 0 || winner !== null)) {
    return passed(explanation('group_not_drawn', { percent: held }), { devices, at })
  }
  const variant = group.variant === null ? undefined : variants[group.variant]?.name
  if (variant !== undefined)
    return passed(explanation('variant_planned', { variant, percent }), { devices, at })
  if (percent > 0) return passed(explanation('not_held_out', { percent }), { devices, at })
  return passed(explanation('not_divided'), { devices, at })
}

/** The part of a trial that does not depend on the number of the campaign. */
function undrawn({ trial }: Campaign): Campaign['trial'] {
  return { ...trial, holdoutPercent: 0, variants: [], winner: null }
}
