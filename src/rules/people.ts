/**
 * What a profile is known by. Email and mobile count only while the brand merges profiles (spec §4.2, E3); a visitor is
 * a browser, known before the person is (decision 0010).
 */
export const IDENTITY_KINDS = ['user_id', 'email', 'mobile', 'visitor'] as const

export type IdentityKind = (typeof IDENTITY_KINDS)[number]

/** The bounds of the profile calls (decisions §5); those of attributes stand in `attributes.ts`. */
export const PROFILE_LIMITS = {
  entriesMax: 100,
  userIdCharsMax: 100,
  emailCharsMax: 254,
  /** Profiles in one page of `user/profile`. */
  batchSizeMax: 1000,
  batchSizeDefault: 100,
  /** What `userData` shows of each kind of thing; the count tells how many there are. */
  recentEventsMax: 100,
  recordsMax: 1000,
} as const

/** Attributes of a profile that mean something to the service, and so have only certain values (decisions §5). */
export const KNOWN_PROFILE_ATTRIBUTES = {
  birth_date: { form: 'day' },
  gender: { form: 'choice', oneOf: ['male', 'female', 'other'] },
  email_opt_in: { form: 'choice', oneOf: ['0', '1'] },
  sms_opt_in: { form: 'choice', oneOf: ['0', '1'] },
  whatsapp_opt_in: { form: 'choice', oneOf: ['0', '1'] },
} as const satisfies Record<string, KnownAttribute>

export type KnownAttribute =
  | { readonly form: 'day' }
  | { readonly form: 'choice'; readonly oneOf: readonly string[] }

/** The fields of an entry of `user/create`. Anything else is ignored with a warning. */
export const PROFILE_ENTRY_FIELDS = ['userID', 'email', 'mobile', 'user_attributes', 'tags'] as const

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
