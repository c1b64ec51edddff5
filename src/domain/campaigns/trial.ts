import { TRIAL_GROUPS } from '../../rules/trials.ts'
import { groupOf, type Trial } from './assignment.ts'
import type { CampaignTrial, CampaignWinner } from './trial-reading.ts'

/** A trial as it is stored with a notification; the weights are those of its variants. */
export type StoredTrial = Pick<Trial, 'holdoutPercent' | 'controlPercent' | 'phase'>

/** A device of a person, who is in one group on all their devices. */
export type TrialMember = { readonly id: bigint; readonly person: bigint }

/** How a campaign divides some of its recipients. */
export type Division = {
  /** The recipients who get a message, and the variant of each, if there are variants. */
  readonly sentIds: ReadonlySet<bigint>
  readonly variants: ReadonlyMap<bigint, number>
  /** The group of each person who belongs to this part of the campaign, sent to or held out. */
  readonly groups: ReadonlyMap<bigint, number>
}

/** The trial of a campaign at its launch; null when it neither divides its people nor counts them. */
export function firstTrial(
  { variants, holdoutPercent, winner, goal }: CampaignTrial,
  controlPercent: number,
): StoredTrial | null {
  const isPlain = variants.length === 0 && holdoutPercent === 0 && controlPercent === 0 && goal === null
  if (isPlain) return null
  const phase = winner === null ? ({ kind: 'whole' } as const) : testPhase(winner)
  return { holdoutPercent, controlPercent, phase }
}

function testPhase({ testPercent }: CampaignWinner) {
  return { kind: 'test', percent: testPercent } as const
}

export function divide(trial: Trial, members: readonly TrialMember[]): Division {
  const sentIds = new Set<bigint>()
  const variants = new Map<bigint, number>()
  const groups = new Map<bigint, number>()
  for (const { id, person } of members) {
    const group = groupOf(trial, person)
    if (group.kind === 'other_phase') continue
    if (group.kind !== 'sent') {
      groups.set(person, TRIAL_GROUPS[group.kind])
      continue
    }
    groups.set(person, group.variant ?? 0)
    sentIds.add(id)
    if (group.variant !== null) variants.set(id, group.variant)
  }
  return { sentIds, variants, groups }
}
