import { differenceOf, type Interval, type Proportion, sharedConfidence } from './proportions.ts'

/** The result of a test of variants. Places are those of the variants as they were given. */
export type TestResult =
  | { readonly kind: 'winner'; readonly variant: number; readonly leads: readonly Lead[] }
  /** The best one is not better than every other with the confidence that was asked for. */
  | { readonly kind: 'no_difference'; readonly variant: number; readonly leads: readonly Lead[] }
  /** Too few people, or too few of them that did or did not, for an interval to mean anything. */
  | { readonly kind: 'not_enough_data'; readonly short: readonly number[] }

/** By how much the best variant's rate is above that of another. */
export type Lead = { readonly over: number; readonly difference: Interval }

/**
 * Compares variants in one look. The best variant wins if its rate is above the rate of every other by more than
 * chance explains. The best one is picked after the fact, so the confidence is shared among all pairs of variants and
 * not only among those that are compared: with variants that are all alike, the chance that any wins stays below
 * 1 − confidence.
 */
export function compareVariants(groups: readonly Proportion[], confidence: number): TestResult {
  const short = tooSmall(groups)
  if (short.length > 0 || groups.length < 2) return { kind: 'not_enough_data', short }
  const best = bestOf(groups)
  const pairs = (groups.length * (groups.length - 1)) / 2
  const each = sharedConfidence(confidence, pairs)
  const leads = groups.flatMap((group, place) =>
    place === best ? [] : [{ over: place, difference: leadOver(groups[best] ?? NOBODY, group, each) }],
  )
  const isReal = leads.every(({ difference }) => difference.low > 0)
  return { kind: isReal ? 'winner' : 'no_difference', variant: best, leads }
}

/** Whether all of the groups are large enough to be compared. */
export function isEnough(groups: readonly Proportion[]): boolean {
  return tooSmall(groups).length === 0
}

/** The smallest group that is compared, and how many of it must be expected to do and not to do what is counted. */
const GROUP_MIN = 30
const EXPECTED_MIN = 5

/** The groups that are too small, judged by the rate over all groups. */
function tooSmall(groups: readonly Proportion[]): readonly number[] {
  const of = groups.reduce((sum, group) => sum + group.of, 0)
  const did = groups.reduce((sum, group) => sum + group.did, 0)
  const rate = of === 0 ? 0 : did / of
  const expected = Math.min(rate, 1 - rate)
  return groups.flatMap((group, place) =>
    group.of >= GROUP_MIN && group.of * expected >= EXPECTED_MIN ? [] : [place],
  )
}

/** Of equal rates the first one is the best. */
function bestOf(groups: readonly Proportion[]): number {
  const rates = groups.map(({ of, did }) => did / of)
  return rates.indexOf(Math.max(...rates))
}

function leadOver(a: Proportion, b: Proportion, confidence: number): Interval {
  return differenceOf({ a, b }, confidence)
}

const NOBODY: Proportion = { of: 0, did: 0 }
