// Events

/** The events that an endpoint can ask for, named as Standard Webhooks does, and when each is sent. */
export const WEBHOOK_EVENTS = {
  'notification.sent': 'A notification has no pending delivery any more.',
  'delivery.accepted': 'The push service accepted a message for one subscription.',
  'delivery.failed': 'A message for one subscription was refused for good, or expired.',
  'delivery.received': 'A device showed a message.',
  'delivery.clicked': 'Somebody clicked a message, or one of its buttons.',
  'delivery.dismissed': 'Somebody dismissed a message.',
  'subscription.created': 'A subscription became live: a new one, or one that was gone or unsubscribed.',
  'subscription.gone':
    'A subscription is no longer live: it unsubscribed, its device is gone, or another subscription replaced it.',
  'profile.created': 'A profile was created.',
  'profile.merged': 'Two profiles were merged into one.',
  'profile.erased': 'A profile was erased.',
  'journey.entered': 'A person entered a journey.',
  'journey.goal': 'A person reached the goal of a journey.',
  'journey.exited': 'A person left a journey.',
  'journey.called': 'A step of a journey calls this endpoint.',
} as const satisfies Record<string, string>

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS

/** The type of the message that a test call sends. An endpoint cannot ask for it. */
export const WEBHOOK_TEST_TYPE = 'webhook.test'

// Calls

/**
 * The waits after each failed attempt, as Standard Webhooks recommends: ten attempts over three days. Jitter of a fifth
 * is added either way.
 */
export const WEBHOOK_RETRY_DELAYS_MS = [
  5_000,
  5 * 60_000,
  30 * 60_000,
  2 * 3_600_000,
  5 * 3_600_000,
  10 * 3_600_000,
  14 * 3_600_000,
  20 * 3_600_000,
  24 * 3_600_000,
] as const

export const WEBHOOK_RULES = {
  endpointsMax: 20,
  urlCharsMax: 2_048,
  descriptionCharsMax: 200,
  batchMax: 100,
  /** How long an endpoint may take to answer; the recommendation is 15 to 30 seconds. */
  answerMs: 20_000,
  /** Only the first part of an answer is read. */
  answerBytesMax: 16 * 1024,
  /** The characters of an answer that the log shows. */
  answerCharsShown: 500,
  attemptsShown: 20,
  /** The pause of an endpoint that is overloaded and asks for no pause of its own. */
  pauseMs: 10_000,
  /** The longest pause that an endpoint can ask for. */
  pauseMsMax: 24 * 3_600_000,
  /** An endpoint that failed for this long without a success is disabled. */
  failingMsMax: 5 * 86_400_000,
  /** Delivered messages are kept this long for the log, and all others this long for a redrive. */
  deliveredDays: 3,
  keptDays: 30,
  secretBytes: 32,
  /** How many secrets sign at the same time, so that a rotation breaks no receiver. */
  secretsMax: 3,
  secretOverlapHours: 24,
  redriveMax: 10_000,
  /** Calls to one endpoint at a time, and to an endpoint that fails. */
  callsMax: 8,
  failingCallsMax: 1,
} as const
