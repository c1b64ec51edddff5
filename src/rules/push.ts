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
  /** How far back a schedule may lie and still mean "now". */
  pastGraceMs: 60_000,
  ttlSecondsDefault: 259_200,
  /** FCM keeps a message for four weeks; the others keep it longer. */
  ttlSecondsMax: 2_419_200,
  perSecondMax: 1_000_000,
  badgeMax: 2_147_483_647,
  dataKeysMax: 100,
  dataKeyCharsMax: 100,
  /** A reply names this many ignored fields and cuts longer names, so that a body cannot blow it up. */
  warningsMax: 20,
  warningFieldCharsMax: 100,
} as const

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

/** The three ways to aim a notification (spec §4.1). `refusal` ends the sentence that refuses a stray field. */
export const PUSH_MODES = {
  send: {
    path: 'send',
    summary: 'Notify one subscriber',
    refusal: 'this address notifies one subscriber',
  },
  all: {
    path: 'broadcast/all',
    summary: 'Notify every subscriber of the platform',
    refusal:
      'this address reaches every subscriber; use /send for one subscriber, /broadcast/segment for a segment',
  },
  segment: {
    path: 'broadcast/segment',
    summary: 'Notify the subscribers of one segment',
    refusal: 'this address reaches a whole segment; use /send for one subscriber',
  },
} as const satisfies Record<
  string,
  { readonly path: string; readonly summary: string; readonly refusal: string }
>

export type PushMode = keyof typeof PUSH_MODES

export const PUSH_MODE_NAMES = ['send', 'all', 'segment'] as const satisfies readonly PushMode[]

/**
 * What a mode does with a field. `refused`: a mistaken call must not reach everyone. `ignored`: it has no meaning
 * here and could do no harm, so the reply only warns. `identifier`: at least one such field is needed.
 */
export type Presence = 'required' | 'optional' | 'identifier' | 'refused' | 'ignored'

/**
 * The life of a notification (decisions §3), each state with the states it may move to:
 * scheduled (waits for its time) → queued (due, waits for a worker) → sending (some of it is handed over) → sent
 * (nothing is pending). A caller may cancel until it is sent; it fails when the channel cannot send at all.
 * A state that leads nowhere is final.
 */
export const NOTIFICATION_STATES = {
  scheduled: ['queued', 'cancelled'],
  queued: ['sending', 'cancelled', 'failed'],
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

/** How an audience is cut up for workers (decision 0005). */
export const CHUNK_RULES = {
  /** Few enough that a worker holds several, many enough that claiming and settling cost nothing per message. */
  recipientsMax: 1_000,
  /** An audience of up to this many goes before all larger ones. */
  smallMax: 100,
  /** A throttled chunk lasts this long, so that a worker which dies leaves a short gap. */
  throttledSeconds: 5,
  /** Even a notification that devices must not wait for may stay with us for so long. */
  handOverSecondsMin: 60,
  /** Zones that appear while a notification is under way are looked for this often: every offset is a multiple. */
  zoneStepMs: 15 * 60_000,
} as const

/** What may become of one notification for one subscription; `retrying` is the only one that is left again. */
export const DELIVERY_STATES = ['retrying', 'accepted', 'failed', 'expired', 'cancelled'] as const

export type DeliveryState = (typeof DELIVERY_STATES)[number]

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

/** A paused channel is probed after this long: somebody may have mended it on the other side. */
export const PAUSE_RULES = { pauseMs: 60_000 } as const

/** When a push host or a credential is left alone for a while. A provider that asks for a wait gets it, up to a bound. */
export const COOL_DOWN_RULES = {
  /** After so many failures in a row, without a wish of the provider. */
  failuresInRow: 20,
  failuresMs: 2_000,
  /** After so many refusals in a row a push host refuses the credential; the cool-down is then a channel's pause. */
  refusalsInRow: 3,
  /** A provider cannot stop us for ever by a slip of its own. */
  waitMsMax: 60 * 60_000,
} as const

/** What a device may tell of a delivery. Each counts once. */
export const RECEIPT_KINDS = ['received', 'clicked', 'dismissed', 'button'] as const

export type ReceiptKind = (typeof RECEIPT_KINDS)[number]

/** A device that was offline tells all at once. */
export const RECEIPTS_PER_CALL_MAX = 100

/** Room for as many of the longest receipts. No key is asked for, so nobody may send more. */
export const RECEIPTS_BYTES_MAX = 32 * 1024

/** Room that is kept in every payload for what is each delivery's own, and not known when a message is accepted. */
export const PAYLOAD_ROOM = {
  /** A device's signed receipt token. */
  receiptCharsMax: 128,
} as const

/** How many notifications a person may get on one day of the brand's zone, over journeys and broadcasts together. */
export const FREQUENCY_LIMITS = {
  perDayMax: 100,
  /** Days that are over are forgotten after so many more. */
  keepDays: 2,
} as const

/** What a delivery says that was left out for it. */
export const FREQUENCY_REASON = 'frequency_cap'
