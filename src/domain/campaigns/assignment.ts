import { chooseByWeight, shareOf } from '../values/share.ts'

/** How a campaign divides its audience. A `person` is a profile's id, or the id of a device without one, made negative. */
export type Trial = {
  readonly campaignId: bigint
  /** The weights of the variants, in their order; empty when everybody gets the same. */
  readonly weights: readonly number[]
  readonly holdoutPercent: number
  /** The share of the brand's people that gets no campaigns at all. */
  readonly controlPercent: number
  readonly phase: TrialPhase
}

export type TrialPhase =
  | { readonly kind: 'whole' }
  /** The share of the audience that the variants are tried on. */
  | { readonly kind: 'test'; readonly percent: number }
  /** Everybody else, with the variant that was chosen. */
  | { readonly kind: 'rest'; readonly percent: number; readonly variant: number }

export type TrialGroup =
  | { readonly kind: 'control' }
  | { readonly kind: 'holdout' }
  /** The person belongs to the other phase of the campaign. */
  | { readonly kind: 'other_phase' }
  /** `variant` is null in a campaign without variants. */
  | { readonly kind: 'sent'; readonly variant: number | null }

/**
 * The group of a person. It follows from the person and the campaign alone, so all devices of the person, every retry
 * and every process find the same one, and no row is kept. Each question has a key of its own: the people whom one
 * campaign holds out are not those whom the next one does.
 */
export function groupOf(trial: Trial, person: bigint): TrialGroup {
  const { campaignId, weights, holdoutPercent, phase } = trial
  if (isInControl(trial, person)) return { kind: 'control' }
  if (isWithin(holdoutPercent, () => `${campaignId}/holdout/${person}`)) return { kind: 'holdout' }
  if (phase.kind !== 'whole') {
    const isTested = shareOf(`${campaignId}/test/${person}`) < phase.percent / 100
    if (isTested !== (phase.kind === 'test')) return { kind: 'other_phase' }
    if (phase.kind === 'rest') return { kind: 'sent', variant: phase.variant }
  }
  const variant = weights.length === 0 ? null : chooseByWeight(weights, `${campaignId}/variant/${person}`)
  return { kind: 'sent', variant }
}

/**
 * The trial of a message that is tried again. Its device was in the audience, so it is sent to, whatever group its person
 * has come into by a merge.
 */
export function retrial(trial: Trial): Trial {
  const { phase } = trial
  const kept: TrialPhase = phase.kind === 'rest' ? { ...phase, percent: 0 } : { kind: 'whole' }
  return { ...trial, holdoutPercent: 0, controlPercent: 0, phase: kept }
}

/** Whether a person belongs to the brand's control group, which is the same for all its campaigns. */
function isInControl({ controlPercent }: Pick<Trial, 'controlPercent'>, person: bigint): boolean {
  return isWithin(controlPercent, () => `control/${person}`)
}

/** Nobody's key is made for an empty share, which is the usual one. */
function isWithin(percent: number, keyOf: () => string): boolean {
  return percent > 0 && shareOf(keyOf()) < percent / 100
}
