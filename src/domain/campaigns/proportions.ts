/** How many of a group did something. */
export type Proportion = { readonly of: number; readonly did: number }

/** A figure, and the range in which the true one lies with the confidence that was asked for. */
export type Interval = { readonly value: number; readonly low: number; readonly high: number }

/** The rate of a group, with Wilson's interval, which holds for small groups and for rates near 0 too. */
export function rateOf({ of, did }: Proportion, confidence: number): Interval {
  if (of === 0) return { value: 0, low: 0, high: 1 }
  const z = zOf(confidence)
  const rate = did / of
  const scale = 1 + (z * z) / of
  const middle = rate + (z * z) / (2 * of)
  const spread = z * Math.sqrt((rate * (1 - rate)) / of + (z * z) / (4 * of * of))
  return {
    value: rate,
    low: Math.max(0, (middle - spread) / scale),
    high: Math.min(1, (middle + spread) / scale),
  }
}

/** The rate of `a` minus the rate of `b`, with Newcombe's interval, which is made of the two Wilson intervals. */
export function differenceOf(
  { a, b }: { readonly a: Proportion; readonly b: Proportion },
  confidence: number,
): Interval {
  const rateA = rateOf(a, confidence)
  const rateB = rateOf(b, confidence)
  const value = rateA.value - rateB.value
  return {
    value,
    low: value - Math.hypot(rateA.value - rateA.low, rateB.high - rateB.value),
    high: value + Math.hypot(rateA.high - rateA.value, rateB.value - rateB.low),
  }
}

/**
 * The confidence that each of several statements needs, so that all of them together hold with the given confidence
 * (Bonferroni's correction).
 */
export function sharedConfidence(confidence: number, statements: number): number {
  return 1 - (1 - confidence) / Math.max(1, statements)
}

/** How many standard deviations on both sides of the mean hold this share of a normal distribution. */
function zOf(confidence: number): number {
  const upper = 1 - (1 - confidence) / 2
  let low = 0
  let high = Z_MAX
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (low + high) / 2
    if (normalShareBelow(middle) < upper) low = middle
    else high = middle
  }
  return (low + high) / 2
}

const Z_MAX = 10
const HALVINGS = 60

/** The share of a normal distribution below `z`, for `z` from 0 on: the series of the error function. */
function normalShareBelow(z: number): number {
  let term = z
  let sum = z
  for (let n = 1; n < SERIES_MAX && term > sum * Number.EPSILON; n += 1) {
    term *= (z * z) / (2 * n + 1)
    sum += term
  }
  return 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI)
}

const SERIES_MAX = 500
