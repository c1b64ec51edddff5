/** The bounds of what a page may ask for in one call (decision 0010). */
export const VISITOR_LIMITS = {
  commandsMax: 100,
  /** How often one call may change who is logged in: each change holds the brand's identity lock to the call's end. */
  loginsMax: 5,
  bodyBytesMax: 512 * 1024,
  /** 128 bits nobody can guess. */
  idBytes: 16,
  tokenCharsMax: 64,
  userHashChars: 64,
  /** A clock that is off by less is believed: what a call took on its way must not turn the order of events around. */
  clockErrorMsMax: 60_000,
  /** How long a browser may hold what it has to tell; as long as an `event_id` is remembered. */
  heldMsMax: 7 * 24 * 60 * 60 * 1000,
} as const

/** What a command does. */
export const VISITOR_COMMANDS = ['event', 'user', 'subscribe', 'unsubscribe', 'logout'] as const
