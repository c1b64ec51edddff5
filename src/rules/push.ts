// The request

/** Bounds of a push request that are the same on every platform (decisions §3); the others stand in `platforms.ts`. */
export const PUSH_LIMITS = {
  identifierCharsMax: 100,
  deviceCharsMax: 255,
  tagCharsMax: 100,
  linkCharsMax: 2048,
  buttonTitleCharsMax: 255,
  nameCharsMax: 255,
  /** A delay in `time`, and the reach of a schedule: one year. */
  delaySecondsMax: 31_536_000,
  aheadMsMax: 31_536_000_000,
  /** A schedule that is past by no more than this means "now". */
  pastGraceMs: 60_000,
  ttlSecondsDefault: 259_200,
  /** FCM keeps a message for four weeks; the other providers keep it longer. */
  ttlSecondsMax: 2_419_200,
  perSecondMax: 1_000_000,
  badgeMax: 2_147_483_647,
  dataKeysMax: 100,
  dataKeyCharsMax: 100,
  /** A reply names this many ignored fields and cuts longer names, so that a body cannot blow it up. */
  warningsMax: 20,
  /** Unknown fields of a body that are compared with the known ones, since each comparison takes time. */
  comparedFieldsMax: 100,
  warningFieldCharsMax: 100,
} as const

/** The `sound` of a notification that plays none, whatever the brand's default is. */
export const NO_SOUND = 'none'

/** Keys of `data` that FCM, JavaScript or Beckon keeps for itself. */
export const RESERVED_DATA_KEYS = ['from', 'message_type', '__proto__'] as const
export const RESERVED_DATA_PREFIXES = ['google', 'gcm', 'beckon_'] as const

/** Schemes that run code or read the device; no link may have one, on any platform. */
export const REFUSED_SCHEMES = [
  'about:',
  'blob:',
  'content:',
  'data:',
  'file:',
  'filesystem:',
  'javascript:',
  'vbscript:',
  'view-source:',
] as const

/** The three modes of a push request (spec §4.1). `refusal` ends the sentence that refuses a field of another mode. */
export const PUSH_MODES = {
  send: {
    path: 'send',
    summary: 'Notify one subscriber',
    refusal: 'this endpoint notifies one subscriber',
  },
  all: {
    path: 'broadcast/all',
    summary: 'Notify every subscriber of the platform',
    refusal:
      'this endpoint notifies every subscriber; use /send for one subscriber, /broadcast/segment for a segment',
  },
  segment: {
    path: 'broadcast/segment',
    summary: 'Notify the subscribers of one segment',
    refusal: 'this endpoint notifies a whole segment; use /send for one subscriber',
  },
} as const satisfies Record<
  string,
  { readonly path: string; readonly summary: string; readonly refusal: string }
>

export type PushMode = keyof typeof PUSH_MODES

export const PUSH_MODE_NAMES = ['send', 'all', 'segment'] as const satisfies readonly PushMode[]

/**
 * The use of a field in a mode. `refused`: the field would make a caller believe that a broadcast reaches one
 * subscriber. `ignored`: the field has no meaning in this mode and does no harm, so the reply only warns.
 * `identifier`: the request needs at least one field of this kind.
 */
export type Presence = 'required' | 'optional' | 'identifier' | 'refused' | 'ignored'

// The notification

/**
 * The states of a notification (decisions §3), each with the states that may follow:
 * scheduled (waits for its time) → queued (due, no outcome is known) → sending (some messages are sent) → sent (no
 * delivery is pending). A notification whose only message is sent at the first attempt goes from `queued` to `sent`. A
 * caller may cancel a notification until it is sent; a notification fails when the channel cannot send at all, or when its
 * audience needed too many old events until it expired. A scheduled one without recipients goes to `sent`. A state without a
 * following state is final.
 */
export const NOTIFICATION_STATES = {
  scheduled: ['queued', 'sent', 'cancelled', 'failed'],
  queued: ['sending', 'sent', 'cancelled', 'failed'],
  sending: ['sent', 'cancelled', 'failed'],
  sent: [],
  cancelled: [],
  failed: [],
} as const satisfies Record<string, readonly string[]>

export type NotificationState = keyof typeof NOTIFICATION_STATES

export const NOTIFICATION_STATE_NAMES = [
  'scheduled',
  'queued',
  'sending',
  'sent',
  'cancelled',
  'failed',
] as const satisfies readonly NotificationState[]

/** Where a notification came from: one of the nine endpoints, a campaign, or a step of a journey. */
export const NOTIFICATION_SOURCES = ['endpoint', 'campaign', 'journey'] as const

export type NotificationSource = (typeof NOTIFICATION_SOURCES)[number]

/** A search for a text in notifications looks at this many of the newest that fit the other filters. */
export const TEXT_SEARCH_ROWS_MAX = 20_000
export const TEXT_SEARCH_CHARS = { min: 2, max: 100 } as const

/** The list of notifications can show one line for each step and day of journeys, for a range of days. */
export const JOURNEY_FOLD = { daysDefault: 7, daysMax: 31, linesMax: 1_000 } as const

/** Bounds of chunks, the parts of an audience that one worker sends (decision 0005). */
export const CHUNK_RULES = {
  /** Small enough that a worker can claim several, large enough that a claim costs little for each message. */
  recipientsMax: 1_000,
  /** A notification with an audience of up to this many goes before all larger ones. */
  smallMax: 100,
  /** A throttled chunk lasts this long, so that a worker which dies leaves a short gap. */
  throttledSeconds: 5,
  /** A message with a `ttl_seconds` of 0, for devices that are online, may wait this long with Beckon. */
  atOnceSeconds: 60,
  /** New time zones of a running notification are looked for this often: every offset is a multiple of it. */
  zoneStepMs: 15 * 60_000,
} as const

/** How many notifications a person may get on one day of their own zone, over journeys and broadcasts together. */
export const FREQUENCY_LIMITS = {
  perDayMax: 100,
  /** The counts of a day are deleted this many days after its end. */
  keepDays: 2,
} as const

/** The reason of a delivery that was cancelled because its person had enough notifications that day. */
export const FREQUENCY_REASON = 'frequency_cap'

// The delivery

/** The states of one notification for one subscription. `retrying` is the only state that is not final. */
export const DELIVERY_STATES = ['retrying', 'accepted', 'failed', 'expired', 'cancelled'] as const

/** Reasons are counted over this many deliveries of a notification that were not accepted, and so many are told. */
export const DELIVERY_REASONS = { rowsMax: 100_000, reasonsMax: 100 } as const

export type DeliveryState = (typeof DELIVERY_STATES)[number]

/**
 * The reason of a delivery that ended without an answer: the message left and may have arrived. Its state is `failed`, or
 * `expired` if its time was over.
 */
export const UNKNOWN_REASON = 'outcome_unknown'

/** The retries of a delivery. With full jitter, the attempts at one delivery span about an hour. */
export const RETRY_RULES = {
  attemptsMax: 12,
  /** The longest wait after the first attempt; it doubles with every further one. */
  firstWaitMs: 5_000,
  waitMsMax: 15 * 60_000,
  /** Retries that are settled together come back in at most so many groups, evenly spread over the longest wait. */
  groupsMax: 50,
  /** How often a message whose outcome nobody knows is sent again: each time may be a repeat. */
  unknownRetriesMax: 3,
} as const

/**
 * The brake: an answer that blames the device may come from a wrong setting, or from a push host in trouble. A budget
 * of devices bounds the damage. Each device that is retired takes one from the budget, and each accepted message gives
 * some back, never above `devicesMax`. No device is retired when the budget is used up.
 */
export const BRAKE_RULES = {
  /** The most devices that are retired between two accepted messages, whatever came before. */
  devicesMax: 9,
  /**
   * `setting`: answers that a wrong setting of the brand causes for every device, counted for the whole channel. The
   * brake holds when more than one in five answers is of this kind (providers.md). `host`: answers that are certain
   * about one device, counted for each push host. One accepted message proves that the host works.
   */
  givenBack: { setting: 0.25, host: 9 },
  /** The budgets of a channel that are kept, the newest ones: a brand has browsers at any number of push hosts. */
  budgetsMax: 1_000,
  /** How long the brake is off when the brand says that the devices are dead. */
  offMs: 60 * 60_000,
  /** Retired devices that one call makes live again, and how far back it looks if the call does not say. */
  restoredMax: 10_000,
  restoredHours: 24,
  restoredHoursMax: 30 * 24,
} as const

/** The reason of a channel that the brake paused, and of a push host at which it holds. */
export const BRAKE_REASON = 'too_many_bad_addresses'

/** A paused channel is probed after this long: the fault may be mended at the provider. */
export const PAUSE_RULES = { pauseMs: 60_000 } as const

/** The cool-downs of push hosts and credentials. A provider that asks for a wait gets it, up to a bound. */
export const COOL_DOWN_RULES = {
  /** The failures in a row that start a cool-down of `failuresMs`, when the provider asks for no wait. */
  failuresInRow: 20,
  failuresMs: 2_000,
  /** Each further row of failures doubles the cool-down, up to this. */
  failuresMsMax: 30_000,
  /** After so many refusals in a row a push host refuses the credential; the cool-down is then a channel's pause. */
  refusalsInRow: 3,
  /** The longest wait that a provider gets, so that its mistake cannot stop us for ever. */
  waitMsMax: 60 * 60_000,
} as const

// The device

/** Room that is kept in every payload for parts of a delivery that are not known when a notification is accepted. */
export const PAYLOAD_ROOM = {
  /** A device's signed receipt token. */
  receiptCharsMax: 128,
} as const

/** The receipts that a device may send for a delivery. Each kind counts once. */
export const RECEIPT_KINDS = ['received', 'clicked', 'dismissed', 'button'] as const

export type ReceiptKind = (typeof RECEIPT_KINDS)[number]

/** A device that was offline sends all its receipts at once. */
export const RECEIPTS_PER_CALL_MAX = 100

/** Room for `RECEIPTS_PER_CALL_MAX` of the longest receipts. The call needs no key, so it must not take more. */
export const RECEIPTS_BYTES_MAX = 32 * 1024

/**
 * Words for a push field that people know from our replies, from other endpoints or from other services. A push cannot
 * be called back, so a body with one of them is refused and told the right name.
 */
export const PUSH_FIELD_SYNONYMS: Readonly<Record<string, string>> = {
  body: 'message',
  text: 'message',
  content: 'message',
  heading: 'title',
  link: 'url',
  click_action: 'url',
  image: 'image_url',
  picture: 'image_url',
  send_at: 'schedule_date',
  send_after: 'schedule_date',
  scheduled_at: 'schedule_date',
  schedule: 'schedule_date',
  date: 'schedule_date',
  delay: 'time',
  seconds: 'time',
  zone: 'time_zone',
  ttl: 'ttl_seconds',
  time_to_live: 'ttl_seconds',
  throttle: 'per_second',
  rate: 'per_second',
  segment: 'segment_id',
  translations: 'languages',
  localizations: 'languages',
  locales: 'languages',
  lang: 'languages',
  user: 'user_id',
  userids: 'user_id',
  external_id: 'user_id',
  subscriber: 'subscription_id',
  subscriber_id: 'subscription_id',
  subscription: 'subscription_id',
  device_id: 'android_id',
  test: 'dry_run',
  preview: 'dry_run',
}
