// Profiles

/**
 * The kinds of identifiers of a profile. Email and mobile count only while the brand merges profiles (spec §4.2, E3).
 * A visitor is a browser, which is known before its person is (decision 0010).
 */
export const IDENTITY_KINDS = ['user_id', 'email', 'mobile', 'visitor'] as const

export type IdentityKind = (typeof IDENTITY_KINDS)[number]

/** The bounds of the profile calls (decisions §5); the bounds of attributes stand in `attributes.ts`. */
export const PROFILE_LIMITS = {
  entriesMax: 100,
  userIdCharsMax: 100,
  emailCharsMax: 254,
  /** Profiles in one page of `user/profile`. */
  batchSizeMax: 1000,
  batchSizeDefault: 100,
  recentEventsMax: 100,
  /** The records of each kind that `userData` loads at once. A person with more gets a streamed reply with all. */
  recordsMax: 1000,
} as const

// Lists of people

/** The order of a list of people. `identifier` is for searches: by the identifier that was found. */
export const USER_SORTS = ['newest', 'oldest', 'identifier'] as const
export type UserSort = (typeof USER_SORTS)[number]

/**
 * The work of one page of people. A condition that no index answers is checked person by person; the page ends after
 * so many people, and its cursor goes on. A condition on events costs far more than others.
 */
export const USER_LIST_LIMITS = {
  searchCharsMax: 254,
  /** A folded identifier may be three times as long as the identifier. */
  cursorCharsMax: 5_000,
  checkedMax: 10_000,
  checkedByEventsMax: 1_000,
  /** A larger number of people is estimated. */
  countMax: 10_000,
  /** The estimate reads so many groups of people, evenly spread, of so many people each. */
  sampleGroups: 100,
  sampleGroupSize: 20,
  costlyGroupSize: 5,
} as const

/**
 * The kinds of lines of a person's time line, in their order at the same instant. A change is one that is kept: the
 * profile was made, a device was subscribed or retired, a topic was opted out of. Former values of attributes are not.
 */
export const TIMELINE_KINDS = ['merge', 'change', 'journey', 'receipt', 'delivery', 'event'] as const
export type TimelineKind = (typeof TIMELINE_KINDS)[number]

export const TIMELINE_CHANGES = [
  'created',
  'subscribed',
  'subscribed_again',
  'unsubscribed',
  'gone',
  'opted_out',
] as const

/** A person with more devices or enrolments has the lines of the newest of them. */
export const TIMELINE_LIMITS = { devicesMax: 100, enrolmentsMax: 1_000, cursorCharsMax: 1_000 } as const

/** Attributes of a profile that Beckon itself reads, so their values are checked (decisions §5). */
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

/** The fields of an entry of `user/create`. Any other field is ignored with a warning. */
export const PROFILE_ENTRY_FIELDS = ['userID', 'email', 'mobile', 'user_attributes', 'tags'] as const

// Visitors

/** The bounds of one call of a page to `visitors/commands` (decision 0010). */
export const VISITOR_LIMITS = {
  commandsMax: 100,
  /** Logins in one call: each one takes the brand's identity lock until the end of the call. */
  loginsMax: 5,
  /** A login without proof is answered at a multiple of this, so that its time does not tell whether a user is known. */
  loginStepMs: 50,
  bodyBytesMax: 512 * 1024,
  /** 128 random bits, which cannot be guessed. */
  idBytes: 16,
  tokenCharsMax: 64,
  userHashChars: 64,
  /** A browser's clock that differs by less is trusted: the time a call travels must not change the order of events. */
  clockErrorMsMax: 60_000,
  /** How long a browser may keep a command before it sends it; as long as an `event_id` is remembered. */
  heldMsMax: 7 * 24 * 60 * 60 * 1000,
} as const

/** The kinds of commands. */
export const VISITOR_COMMANDS = ['event', 'user', 'subscribe', 'unsubscribe', 'logout'] as const

/**
 * The most that the browsers of one network may cause for one brand in any hour, with a publishable key; a network may be
 * a whole office. `profiles` counts everything that may make a person or a device: a first call, a login, a logout, a
 * subscription. `names` counts names of events and attributes that the brand does not have yet. The last two are the most
 * names that a brand may have before browsers can add no more of them; servers always can. Settings can change all.
 */
export const VISITOR_BUDGETS = {
  kibibytes: 200 * 1024,
  rows: 200_000,
  profiles: 20_000,
  names: 500,
  brandEventNames: 5_000,
  brandAttributes: 50_000,
} as const

/** A budget is counted in a sliding window, in slots, so that an hour of it is few rows. */
export const VISITOR_BUDGET_WINDOW_MS = 60 * 60 * 1000
export const VISITOR_BUDGET_SLOT_MS = 10_000
