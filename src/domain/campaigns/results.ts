import { TRIAL_GROUPS } from '../../rules/trials.ts'
import { differenceOf, type Interval, type Proportion, rateOf, sharedConfidence } from './proportions.ts'
import { isEnough } from './winner.ts'

/** The people of one group of a campaign: of a variant, by its place, or held out. */
export type GroupFacts = {
  readonly group: number
  readonly people: number
  readonly clicked: number
  /** People with a goal event within the time after the planned send, whoever brought it about. */
  readonly reached: number
}

/** The goal events that count for the messages of a campaign or a journey. `ltv` is a decimal, as text. */
export type Attributed = { readonly conversions: number; readonly people: number; readonly ltv: string }

/** The difference that the messages made, against people who got none. */
export type Uplift =
  | {
      readonly kind: 'measured'
      readonly sent: Proportion
      readonly held: Proportion
      readonly difference: Interval
    }
  | { readonly kind: 'not_enough_data'; readonly sent: Proportion; readonly held: Proportion }
  /** Nobody was held out. */
  | { readonly kind: 'no_control' }

/** The figures of one variant. Intervals are corrected for the number of variants. */
export type VariantResult = {
  readonly variant: number
  readonly people: number
  readonly clicked: Interval
  readonly reached: Interval
  readonly uplift: Uplift
}

export type CampaignResult = {
  readonly people: number
  readonly heldOut: number
  readonly inControl: number
  readonly clicked: Interval
  readonly uplift: Uplift
  readonly variants: readonly VariantResult[]
}

/** The results of a campaign from the counts of its groups. */
export function campaignResult(groups: readonly GroupFacts[], confidence: number): CampaignResult {
  const sent = groups.filter(({ group }) => group >= 0)
  const held = groups.filter(({ group }) => group < 0)
  const each = sharedConfidence(confidence, sent.length)
  return {
    people: sum(sent, 'people'),
    heldOut: peopleIn(groups, TRIAL_GROUPS.holdout),
    inControl: peopleIn(groups, TRIAL_GROUPS.control),
    clicked: rateOf({ of: sum(sent, 'people'), did: sum(sent, 'clicked') }, confidence),
    uplift: upliftOf(sent, held, confidence),
    variants: sent
      .toSorted((a, b) => a.group - b.group)
      .map((facts) => ({
        variant: facts.group,
        people: facts.people,
        clicked: rateOf({ of: facts.people, did: facts.clicked }, each),
        reached: rateOf({ of: facts.people, did: facts.reached }, each),
        uplift: upliftOf([facts], held, each),
      })),
  }
}

/** The holdout and the control group are one: both got nothing, and both were chosen by chance. */
function upliftOf(
  sentGroups: readonly GroupFacts[],
  heldGroups: readonly GroupFacts[],
  confidence: number,
): Uplift {
  const sent = { of: sum(sentGroups, 'people'), did: sum(sentGroups, 'reached') }
  const held = { of: sum(heldGroups, 'people'), did: sum(heldGroups, 'reached') }
  if (held.of === 0) return { kind: 'no_control' }
  if (!isEnough([sent, held])) return { kind: 'not_enough_data', sent, held }
  return { kind: 'measured', sent, held, difference: differenceOf({ a: sent, b: held }, confidence) }
}

function peopleIn(groups: readonly GroupFacts[], wanted: number): number {
  return groups.find(({ group }) => group === wanted)?.people ?? 0
}

function sum(groups: readonly GroupFacts[], figure: 'people' | 'clicked' | 'reached'): number {
  return groups.reduce((total, group) => total + group[figure], 0)
}
