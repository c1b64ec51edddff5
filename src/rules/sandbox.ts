/** The push services of the sandbox. */
export const SANDBOX_HOSTS = ['fcm', 'apns', 'webpush'] as const

export type SandboxHost = (typeof SANDBOX_HOSTS)[number]

/** The provider faults that the sandbox can be told to simulate. */
export const SANDBOX_FAULTS = ['hang', 'drip', 'reset', 'close', 'late', 'answer'] as const

export type SandboxFault = (typeof SANDBOX_FAULTS)[number]

/** The effect of each fault on a message, as the reference prints it. */
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

/** A rule by which messages fail in the sandbox. */
export type SandboxFaultRule = {
  readonly id: number
  readonly fault: SandboxFault
  readonly status: number
  readonly retryAfter: number | null
  readonly delayMs: number
  /** Above 0 and at most 1. */
  readonly share: number
  /** Null: every push service. */
  readonly host: SandboxHost | null
  /** A device's token, or a browser's endpoint; null: every device. */
  readonly token: string | null
  /** How often it happens at most; null: any number of times. */
  readonly times: number | null
  readonly endsAt: number
  /** How often it has happened. */
  readonly count: number
}

/** A rule as a caller asks for it. */
export type SandboxFaultDraft = Omit<SandboxFaultRule, 'id' | 'endsAt' | 'count'> & {
  readonly seconds: number
}
