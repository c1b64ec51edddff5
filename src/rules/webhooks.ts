/** What an endpoint can ask to be told, and when that happens. Standard Webhooks names them like this. */
export const WEBHOOK_EVENTS = {
  'notification.sent': 'Nothing of a notification is left to be sent.',
  'delivery.accepted': 'The push service took a message for one subscription.',
  'delivery.failed': 'A message for one subscription was refused for good, or ran out of time.',
  'delivery.received': 'A device showed a message.',
  'delivery.clicked': 'Somebody clicked a message, or one of its buttons.',
  'delivery.dismissed': 'Somebody put a message away.',
  'subscription.created':
    'A device can be reached that could not be before: a new one, or one that came back.',
  'subscription.gone':
    'A device cannot be reached any more: it unsubscribed, its address died, or another took its place.',
  'profile.created': 'A person became known.',
  'profile.merged': 'Two profiles turned out to be one person.',
  'profile.erased': 'A person was erased.',
  'journey.entered': 'A person entered a journey.',
  'journey.goal': 'A person reached the goal of a journey.',
  'journey.exited': 'A person left a journey.',
  'journey.called': 'A step of a journey calls this endpoint.',
} as const satisfies Record<string, string>

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS

/** The endpoint that is tried by hand gets this; nobody can ask for it. */
export const WEBHOOK_TEST_TYPE = 'webhook.test'

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
  /** Of an answer this much is read, and the rest is not waited for. */
  answerBytesMax: 16 * 1024,
  /** And this much of it is shown in the log. */
  answerCharsShown: 500,
  attemptsShown: 20,
  /** The pause for an endpoint that is overloaded and does not say for how long. */
  pauseMs: 10_000,
  /** The longest pause that an endpoint can ask for. */
  pauseMsMax: 24 * 3_600_000,
  /** An endpoint that failed for this long without one success is disabled. */
  failingMsMax: 5 * 86_400_000,
  /** What was delivered is kept for the log this long, and whatever was not, for a redrive, this long. */
  deliveredDays: 3,
  keptDays: 30,
  secretBytes: 32,
  /** How many secrets sign at the same time, so that a rotation interrupts nobody. */
  secretsMax: 3,
  secretOverlapHours: 24,
  redriveMax: 10_000,
  /** Calls to one endpoint at a time, and to one that fails. */
  callsMax: 8,
  failingCallsMax: 1,
} as const
