/**
 * The seconds after which a caller should come back while the database is away. A crash or a planned switch takes one to three
 * seconds. An outage that lasts longer is a lost machine, which takes 20 to 35 seconds, or worse. So the wait grows with the age
 * of the outage, up to a bound: callers should notice soon that it is over. Chance adds up to a third, in whole seconds, so that
 * the callers who were refused together do not return together. `jitter` is in [0, 1).
 */
export function outageWaitSeconds({ ageMs, jitter }: OutageMoment): number {
  const seconds = Math.floor(Math.min(Math.max(SECONDS_MIN, (ageMs / 1_000) * PART_OF_AGE), SECONDS_MAX))
  const spread = Math.floor(seconds / SPREAD_PART)
  return seconds + Math.floor((spread + 1) * jitter)
}

type OutageMoment = { readonly ageMs: number; readonly jitter: number }

const SECONDS_MIN = 3
const SECONDS_MAX = 10
/** The wait is half of the time that has gone by: an outage is noticed at most half as late as it is long. */
const PART_OF_AGE = 0.5
/** A third of the shortest wait is one second: without it the header, which has whole seconds, would be the same for all. */
const SPREAD_PART = 3
