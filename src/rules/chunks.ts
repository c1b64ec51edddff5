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
