import type { Proportion } from './proportions.ts'
import type { GroupFacts } from './results.ts'
import type { CampaignTrial, CampaignWinner } from './trial-reading.ts'
import { compareVariants, type Lead } from './winner.ts'

/** The one look at the variants of a campaign, as it is stored. Variants are named by their places. */
export type Decision = {
  readonly kind: 'winner' | 'no_difference' | 'not_enough_data'
  /** The variant that the rest of the audience gets. */
  readonly variant: number
  readonly groups: readonly (Proportion & { readonly variant: number })[]
  /** By how much the best variant is ahead of each other one. */
  readonly leads: readonly Lead[]
}

/** Decides what the rest of the audience gets. A variant of weight 0 was sent to nobody and is not compared. */
export function decideWinner(
  { variants }: Pick<CampaignTrial, 'variants'>,
  winner: CampaignWinner,
  facts: readonly GroupFacts[],
): Decision {
  const figure = winner.by === 'click' ? 'clicked' : 'reached'
  const factsOf = new Map(facts.map((one) => [one.group, one]))
  const groups = variants.flatMap(({ weight }, variant) => {
    const found = factsOf.get(variant)
    return weight === 0 ? [] : [{ variant, of: found?.people ?? 0, did: found?.[figure] ?? 0 }]
  })
  const result = compareVariants(groups, winner.confidence)
  const placeOf = (index: number): number => groups[index]?.variant ?? winner.otherwise
  if (result.kind === 'not_enough_data') {
    return { kind: result.kind, variant: winner.otherwise, groups, leads: [] }
  }
  const leads = result.leads.map(({ over, difference }) => ({ over: placeOf(over), difference }))
  const variant = result.kind === 'winner' ? placeOf(result.variant) : winner.otherwise
  return { kind: result.kind, variant, groups, leads }
}
