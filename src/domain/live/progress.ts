import { LIVE_LIMITS } from '../../rules/live.ts'

/** The number of messages that were settled by a moment. */
export type ProgressSample = { readonly at: number; readonly settled: number }

/** The samples of the last seconds, and the newest one before, so that the rate covers the whole window. */
export function addSample(
  samples: readonly ProgressSample[],
  sample: ProgressSample,
): readonly ProgressSample[] {
  const begin = sample.at - LIVE_LIMITS.rateWindowMs
  const first = samples.findLastIndex(({ at }) => at <= begin)
  return [...samples.slice(Math.max(0, first)), sample]
}

/** Messages per second, to one place; null while there is only one sample. */
export function rateOfSamples(samples: readonly ProgressSample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || last.at <= first.at) return null
  const perSecond = ((last.settled - first.settled) * 1000) / (last.at - first.at)
  return Math.max(0, Math.round(perSecond * 10) / 10)
}

/** When the last message will be settled if it goes on like this; null when nothing moves or nothing is left. */
export function predictEnd({
  pending,
  rate,
  now,
}: {
  readonly pending: number
  readonly rate: number | null
  readonly now: number
}): number | null {
  if (pending === 0 || rate === null || rate === 0) return null
  return Math.round(now + (pending / rate) * 1000)
}
