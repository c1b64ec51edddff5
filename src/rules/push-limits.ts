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
