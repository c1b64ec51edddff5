/** The push services of the sandbox. */
export const SANDBOX_HOSTS = ['fcm', 'apns', 'webpush'] as const

export type SandboxHost = (typeof SANDBOX_HOSTS)[number]

/** The provider faults that the sandbox can be told to simulate. */
export const SANDBOX_FAULTS = ['hang', 'drip', 'reset', 'close', 'late', 'answer'] as const

export type SandboxFault = (typeof SANDBOX_FAULTS)[number]

/** What happens to a message. */
export const SANDBOX_FAULT_MEANINGS = {
  hang: 'The message is not taken, and no answer comes.',
  drip: 'The message is taken. The status comes at once, and its body one byte at a time, for ever.',
  reset: 'The message is not taken, and its stream ends with an error.',
  close: 'The message is taken, and the connection ends without its answer.',
  late: 'The message is taken, and its answer comes after delay_ms.',
  answer: 'The message is not taken, and the answer is status, with retry_after as its Retry-After.',
} as const satisfies Record<SandboxFault, string>

/** The bounds of one rule, and of all of them. */
export const SANDBOX_FAULT_LIMITS = {
  brandRulesMax: 20,
  rulesMax: 1_000,
  shareMin: 0.001,
  statusMin: 300,
  statusMax: 599,
  delayMsMax: 600_000,
  retryAfterSecondsMax: 86_400,
  timesMax: 1_000_000,
  secondsDefault: 3_600,
  secondsMax: 86_400,
  /** As long as a subscription's token may be. */
  tokenCharsMax: 4_096,
} as const
