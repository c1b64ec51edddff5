/** How a delivery that was not taken is tried again. With full jitter, the tries of one delivery span about an hour. */
export const RETRY_RULES = {
  attemptsMax: 12,
  /** The longest wait after the first try; it doubles with every further one. */
  firstWaitMs: 5_000,
  waitMsMax: 15 * 60_000,
} as const

/**
 * The brake: an answer that blames the device may be our own wrong setting. When more than this share of a
 * credential's last answers do, no device is retired, and the channel is paused (providers.md).
 */
export const BRAKE_RULES = {
  answersKept: 200,
  suspectShareMax: 0.2,
  /** Fewer than this prove nothing, and that is also the most that a wrong setting can cost. */
  suspectsMin: 10,
} as const

/** A paused channel is tried again with one chunk after this long: somebody may have mended it on the other side. */
export const PAUSE_RULES = { pauseMs: 60_000 } as const
