/**
 * The last moment at which an event of this time may have happened. The contract writes times to the second (spec
 * §2.2), so one on the full second stands for all of it: a signup at 12:00:00 is not before a profile that was made at
 * 12:00:00.4. A time with a fraction, and that of receipt, is the moment itself.
 */
export function lastMomentOf(at: number): number {
  return at % SECOND_MS === 0 ? at + SECOND_MS - 1 : at
}

const SECOND_MS = 1000
