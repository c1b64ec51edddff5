/**
 * The seconds after which a caller should come back while the database is away. A crash or a planned switch takes one to three
 * seconds. An outage that lasts longer is a lost machine, which takes 20 to 35 seconds, or worse. So the wait grows with the age
 * of the outage, up to a bound: callers should notice soon that it is over. `jitter` is in [0, 1), so that the callers who were
 * refused together do not return together.
 */
export function outageWaitSeconds({ ageMs, jitter }: OutageMoment): number {
  const seconds = Math.min(Math.max(SECONDS_MIN, (ageMs / 1_000) * PART_OF_AGE), SECONDS_MAX)
  return Math.floor(seconds * (1 + SPREAD * jitter))
}

type OutageMoment = { readonly ageMs: number; readonly jitter: number }

const SECONDS_MIN = 3
const SECONDS_MAX = 10
/** The wait is half of the time that has gone by: an outage is noticed at most half as late as it is long. */
const PART_OF_AGE = 0.5
const SPREAD = 0.3
